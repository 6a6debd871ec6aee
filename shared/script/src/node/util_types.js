// node:util/types.
import * as types from "node:internal/types";

export * from "node:internal/types";
export default { ...types };
