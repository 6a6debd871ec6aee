// util.types: what a value is inside, whatever its prototype says.
const tag = (value) => Object.prototype.toString.call(value).slice(8, -1);
const isObject = (value) => typeof value === "object" && value !== null;
const held = (value, prototype, name) => {
  if (!isObject(value)) return false;
  try {
    Object.getOwnPropertyDescriptor(prototype, name).get.call(value);
    return true;
  } catch {
    return false;
  }
};
const calls = (value, method, ...args) => {
  if (!isObject(value)) return false;
  try {
    method.apply(value, args);
    return true;
  } catch {
    return false;
  }
};
const TypedArray = Object.getPrototypeOf(Uint8Array);
const typedName = (value) => Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get.call(value);
const typed = (name) => (value) => ArrayBuffer.isView(value) && typedName(value) === name;
const boxed = (Kind) => (value) => calls(value, Kind.prototype.valueOf);
const functionTag = (value, ...names) => typeof value === "function" && names.includes(tag(value));

export const isDate = (value) => calls(value, Date.prototype.getTime);
export const isRegExp = (value) => isObject(value) && tag(value) === "RegExp" && calls(value, RegExp.prototype.exec, "");
export const isMap = (value) => held(value, Map.prototype, "size");
export const isSet = (value) => held(value, Set.prototype, "size");
export const isWeakMap = (value) => calls(value, WeakMap.prototype.has, {});
export const isWeakSet = (value) => calls(value, WeakSet.prototype.has, {});
export const isPromise = (value) => isObject(value) && value instanceof Promise;
export const isNativeError = (value) => isObject(value) && (Error.isError?.(value) ?? (value instanceof Error && tag(value) === "Error"));
export const isArrayBuffer = (value) => held(value, ArrayBuffer.prototype, "byteLength");
export const isSharedArrayBuffer = (value) => typeof SharedArrayBuffer === "function" && held(value, SharedArrayBuffer.prototype, "byteLength");
export const isAnyArrayBuffer = (value) => isArrayBuffer(value) || isSharedArrayBuffer(value);
export const isArrayBufferView = (value) => ArrayBuffer.isView(value);
export const isTypedArray = (value) => ArrayBuffer.isView(value) && typedName(value) !== undefined;
export const isDataView = (value) => ArrayBuffer.isView(value) && typedName(value) === undefined;
export const isUint8Array = typed("Uint8Array");
export const isUint8ClampedArray = typed("Uint8ClampedArray");
export const isUint16Array = typed("Uint16Array");
export const isUint32Array = typed("Uint32Array");
export const isInt8Array = typed("Int8Array");
export const isInt16Array = typed("Int16Array");
export const isInt32Array = typed("Int32Array");
export const isFloat32Array = typed("Float32Array");
export const isFloat64Array = typed("Float64Array");
export const isBigInt64Array = typed("BigInt64Array");
export const isBigUint64Array = typed("BigUint64Array");
export const isNumberObject = boxed(Number);
export const isStringObject = boxed(String);
export const isBooleanObject = boxed(Boolean);
export const isBigIntObject = boxed(BigInt);
export const isSymbolObject = boxed(Symbol);
export const isBoxedPrimitive = (value) =>
  isNumberObject(value) || isStringObject(value) || isBooleanObject(value) || isBigIntObject(value) || isSymbolObject(value);
export const isAsyncFunction = (value) => functionTag(value, "AsyncFunction", "AsyncGeneratorFunction");
export const isGeneratorFunction = (value) => functionTag(value, "GeneratorFunction", "AsyncGeneratorFunction");
export const isGeneratorObject = (value) => isObject(value) && ["Generator", "AsyncGenerator"].includes(tag(value));
export const isMapIterator = (value) => isObject(value) && tag(value) === "Map Iterator";
export const isSetIterator = (value) => isObject(value) && tag(value) === "Set Iterator";
export const isModuleNamespaceObject = (value) => isObject(value) && tag(value) === "Module" && Object.getPrototypeOf(value) === null;
export const isArgumentsObject = (value) => isObject(value) && tag(value) === "Arguments";
export const isCryptoKey = (value) => isObject(value) && tag(value) === "CryptoKey";
export const isKeyObject = (value) => isObject(value) && tag(value) === "KeyObject";
export const isExternal = () => false;
// The language hides a proxy well.
export const isProxy = () => false;
