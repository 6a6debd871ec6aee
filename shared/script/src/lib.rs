//! The embedded JavaScript engine that runs authored tools, and everything it may touch.
//!
//! [`ScriptTools`] implements the runtime's `ToolRunner` port. Each call gets an operating-system
//! thread and a QuickJS engine of its own, both thrown away afterwards: nothing one call does to a
//! prototype or a global is seen by the next. The thread runs the script and its timers; whatever
//! needs I/O is sent to the caller's future, so sockets live on the runtime that owns them, and
//! dropping that future drops the requests with it.
//!
//! Guarantees: a module runs only if its SHA-256 is the manifest's. Memory, native stack and
//! processor time are bounded inside the engine; wall time is bounded by the caller, who never
//! waits for the thread. A script that throws, loops, allocates, recurses, panics the host or
//! never settles becomes an error outcome with a message the model can act on. Values of declared
//! environment variables are cut out of error messages, console lines and emitted events.
//!
//! Not guaranteed: limits are checked every few thousand operations, so a script that calls a
//! costly built-in function over and over may exceed them for a while (memory up to threefold),
//! and its thread may outlive the call; [`Limits::abandoned_threads`] bounds how many. Transient
//! copies that host functions make (a request body, a log line) lie outside
//! [`Limits::memory_bytes`]. Lines and columns in a stack are those of the
//! author's files where the artifact has the module's source map, else those of the bundled module.
//! Code made from text (`eval`, `Function`) runs as all other code does: it sees the globals and
//! nothing behind them, under the same limits.
//!
//! A question that nobody has answered yet ends a script at once, as a limit does: nothing it wrote
//! can catch that, and nothing it does afterwards reaches the host. The call's outcome is then a
//! pause, and the next run of it starts from nothing but one more answer.
//!
//! Node's built-in modules that need no files, sockets or processes are written for this engine, in
//! `node/`, and loaded when they are imported.
//!
//! This crate refuses to know: TypeScript, bundling, who may approve or answer, retries, the
//! database, sockets and the process environment. It decides nothing about a run. Engine types
//! appear in no public signature.

mod call;
mod engine;
mod environment;
mod fetch;
mod gate;
mod host;
mod limits;
mod modules;
mod node;
pub mod schema;
mod source_map;
mod threads;
mod tools;
mod wire;

#[cfg(test)]
mod tests;

pub use limits::Limits;
pub use tools::ScriptTools;
