//! Node's built-in modules: which of them tools can import, and what stands in for the others.
//!
//! The compiler leaves an import of an offered one in the bundle, under its name with `node:`; the
//! engine serves it. This list is what both go by, and `docs/node.md` is held to it.

/// Whether tools have a module of Node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// The engine has it; what it lacks of it throws when it is used.
    Offered,
    /// Tools cannot have it; what to use instead.
    Refused(&'static str),
}

/// A module of Node, by its name without `node:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    /// Such as `fs/promises`.
    pub name: &'static str,
    /// Whether tools have it.
    pub support: Support,
    /// Whether Node knows it under its name with `node:` alone.
    pub prefixed: bool,
}

impl Builtin {
    /// Whether tools can import it.
    pub fn is_offered(&self) -> bool {
        self.support == Support::Offered
    }
}

const FILES: &str = "a tool has no files: use fetch, import JSON or text when the agent is built, or the tools of the agent's sandbox";
const SOCKETS: &str = "a tool opens no sockets: use fetch, or a service's HTTP API";
const HTTP: &str = "use fetch";
const PROCESSES: &str = "a tool starts no processes: use the tools of the agent's sandbox";
const THREADS: &str =
    "a tool is one thread: use promises, or several tool calls, which run side by side";
const TERMINAL: &str = "a tool has no terminal: return text, or ask with ctx.askQuestion";
const ENGINE: &str = "the engine is not V8, and a tool has no access to it";
const TESTS: &str = "test the agent from outside, with openeve run";
const DATABASE: &str = "a tool has no files: use a database's HTTP API with fetch";
const TRACES: &str = "use console, whose lines are in the agent's log";
const DOMAINS: &str = "use try and catch, or promises";

const fn offered(name: &'static str) -> Builtin {
    Builtin {
        name,
        support: Support::Offered,
        prefixed: false,
    }
}

const fn refused(name: &'static str, instead: &'static str) -> Builtin {
    Builtin {
        name,
        support: Support::Refused(instead),
        prefixed: false,
    }
}

const fn prefixed(name: &'static str, instead: &'static str) -> Builtin {
    Builtin {
        name,
        support: Support::Refused(instead),
        prefixed: true,
    }
}

/// Every module of Node, by name.
pub const BUILTINS: &[Builtin] = &[
    offered("assert"),
    offered("assert/strict"),
    offered("async_hooks"),
    offered("buffer"),
    refused("child_process", PROCESSES),
    refused("cluster", PROCESSES),
    offered("console"),
    offered("constants"),
    offered("crypto"),
    refused("dgram", SOCKETS),
    offered("diagnostics_channel"),
    refused("dns", SOCKETS),
    refused("dns/promises", SOCKETS),
    refused("domain", DOMAINS),
    offered("events"),
    refused("fs", FILES),
    refused("fs/promises", FILES),
    refused("http", HTTP),
    refused("http2", HTTP),
    refused("https", HTTP),
    refused("inspector", ENGINE),
    refused("inspector/promises", ENGINE),
    offered("module"),
    refused("net", SOCKETS),
    offered("os"),
    offered("path"),
    offered("path/posix"),
    offered("path/win32"),
    offered("perf_hooks"),
    offered("process"),
    offered("punycode"),
    offered("querystring"),
    refused("readline", TERMINAL),
    refused("readline/promises", TERMINAL),
    refused("repl", TERMINAL),
    prefixed("sea", ENGINE),
    prefixed("sqlite", DATABASE),
    offered("stream"),
    offered("stream/consumers"),
    offered("stream/promises"),
    offered("stream/web"),
    offered("string_decoder"),
    offered("sys"),
    prefixed("test", TESTS),
    prefixed("test/reporters", TESTS),
    offered("timers"),
    offered("timers/promises"),
    refused("tls", SOCKETS),
    refused("trace_events", TRACES),
    refused("tty", TERMINAL),
    offered("url"),
    offered("util"),
    offered("util/types"),
    refused("v8", ENGINE),
    refused("vm", ENGINE),
    refused("wasi", ENGINE),
    refused("worker_threads", THREADS),
    offered("zlib"),
];

/// The module that a specifier names, with or without `node:`.
pub fn builtin(specifier: &str) -> Option<&'static Builtin> {
    let (name, has_prefix) = match specifier.strip_prefix("node:") {
        Some(name) => (name, true),
        None => (specifier, false),
    };
    BUILTINS
        .iter()
        .find(|builtin| builtin.name == name && (has_prefix || !builtin.prefixed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_with_and_without_their_prefix() {
        for specifier in ["fs", "node:fs", "fs/promises", "node:test"] {
            assert!(
                builtin(specifier).is_some_and(|found| !found.is_offered()),
                "{specifier}"
            );
        }
        for specifier in ["path", "node:path/posix", "crypto"] {
            assert!(
                builtin(specifier).is_some_and(Builtin::is_offered),
                "{specifier}"
            );
        }
        // `test` and `sqlite` without the prefix are packages, and so is a name with a slash behind.
        for specifier in ["test", "sqlite", "punycode/", "ms", "./fs", "node:nothing"] {
            assert!(builtin(specifier).is_none(), "{specifier}");
        }
    }

    #[test]
    fn modules_stand_in_order_once_each() {
        assert!(BUILTINS.is_sorted_by(|one, other| one.name < other.name));
    }
}
