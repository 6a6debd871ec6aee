// node:module: a tool is one bundle, so that nothing can be loaded by name at run time.
import { absent, coded } from "node:internal/errors";

const refuse = (id) => {
  throw coded(Error, "MODULE_NOT_FOUND", `require(${JSON.stringify(String(id))}) is not available in tools: a tool is one bundle, so import ${JSON.stringify(String(id))} instead`);
};
const createRequire = () => Object.assign((id) => refuse(id), { resolve: refuse, cache: {}, extensions: {}, main: undefined });
const builtinModules = [
  "assert", "assert/strict", "async_hooks", "buffer", "console", "constants", "crypto", "diagnostics_channel", "events", "module", "os",
  "path", "path/posix", "path/win32", "perf_hooks", "process", "punycode", "querystring", "stream", "stream/consumers", "stream/promises",
  "stream/web", "string_decoder", "sys", "timers", "timers/promises", "url", "util", "util/types", "zlib",
];
const isBuiltin = (name) => builtinModules.includes(String(name).replace(/^node:/, ""));
const globalPaths = [];
const syncBuiltinESMExports = () => {};
const runMain = absent("module.runMain");
const findSourceMap = () => undefined;
const register = absent("module.register");
const SourceMap = absent("module.SourceMap");
function Module(id = "", parent = undefined) {
  Object.assign(this, { id, path: "/", exports: {}, filename: null, loaded: false, children: [], parent, paths: [] });
}
Module.prototype.require = refuse;
Object.assign(Module, {
  Module, createRequire, builtinModules, isBuiltin, globalPaths, syncBuiltinESMExports, runMain, findSourceMap, register, SourceMap,
  _cache: {}, _extensions: {}, _load: refuse, _resolveFilename: refuse, _nodeModulePaths: () => [],
});

export { builtinModules, createRequire, findSourceMap, globalPaths, isBuiltin, Module, register, runMain, SourceMap, syncBuiltinESMExports };
export default Module;
