//! Node's built-in modules, as far as tools have them: sources that the engine loads when they are
//! imported. `node/` holds one file a module; `internal/` is what they share and nobody else can name.

/// Where the parts live that only these modules may import.
pub(crate) const INTERNAL: &str = "node:internal/";
/// The module with what Rust grants them.
pub(crate) const NATIVE: &str = "openeve:native";

/// The source of a module by its name with `node:`; none if there is none.
pub(crate) fn source(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("node:")?;
    match name.strip_prefix("internal/") {
        Some(part) => internal(part),
        None => module(name),
    }
}

fn module(name: &str) -> Option<&'static str> {
    Some(match name {
        "assert" => include_str!("node/assert.js"),
        "assert/strict" => include_str!("node/assert_strict.js"),
        "async_hooks" => include_str!("node/async_hooks.js"),
        "buffer" => include_str!("node/buffer.js"),
        "console" => include_str!("node/console.js"),
        "constants" => include_str!("node/constants.js"),
        "crypto" => include_str!("node/crypto.js"),
        "diagnostics_channel" => include_str!("node/diagnostics_channel.js"),
        "events" => include_str!("node/events.js"),
        "module" => include_str!("node/module.js"),
        "os" => include_str!("node/os.js"),
        "path" => include_str!("node/path.js"),
        "path/posix" => include_str!("node/path_posix.js"),
        "path/win32" => include_str!("node/path_win32.js"),
        "perf_hooks" => include_str!("node/perf_hooks.js"),
        "process" => include_str!("node/process.js"),
        "punycode" => include_str!("node/punycode.js"),
        "querystring" => include_str!("node/querystring.js"),
        "stream" => include_str!("node/stream.js"),
        "stream/consumers" => include_str!("node/stream_consumers.js"),
        "stream/promises" => include_str!("node/stream_promises.js"),
        "stream/web" => include_str!("node/stream_web.js"),
        "string_decoder" => include_str!("node/string_decoder.js"),
        "sys" => include_str!("node/sys.js"),
        "timers" => include_str!("node/timers.js"),
        "timers/promises" => include_str!("node/timers_promises.js"),
        "url" => include_str!("node/url.js"),
        "util" => include_str!("node/util.js"),
        "util/types" => include_str!("node/util_types.js"),
        "zlib" => include_str!("node/zlib.js"),
        _ => return None,
    })
}

fn internal(name: &str) -> Option<&'static str> {
    Some(match name {
        "buffer" => include_str!("node/internal/buffer.js"),
        "ciphers" => include_str!("node/internal/ciphers.js"),
        "compare" => include_str!("node/internal/compare.js"),
        "encodings" => include_str!("node/internal/encodings.js"),
        "errors" => include_str!("node/internal/errors.js"),
        "hashes" => include_str!("node/internal/hashes.js"),
        "inspect" => include_str!("node/internal/inspect.js"),
        "keys" => include_str!("node/internal/keys.js"),
        "numbers" => include_str!("node/internal/numbers.js"),
        "numbers_of_linux" => include_str!("node/internal/numbers_of_linux.js"),
        "path_parts" => include_str!("node/internal/path_parts.js"),
        "path_win32" => include_str!("node/internal/path_win32.js"),
        "readable" => include_str!("node/internal/readable.js"),
        "readable_items" => include_str!("node/internal/readable_items.js"),
        "signatures" => include_str!("node/internal/signatures.js"),
        "stream_end" => include_str!("node/internal/stream_end.js"),
        "types" => include_str!("node/internal/types.js"),
        "web_streams" => include_str!("node/internal/web_streams.js"),
        "writable" => include_str!("node/internal/writable.js"),
        _ => return None,
    })
}
