//! What a host process is made of: its environment, clock, ids, artifact folder and logs.
//!
//! The functions on Lambda and the command line both begin here: [`environment`] reads the
//! declared knobs once, [`clock`] and [`ids`] implement the runtime's ports over the system,
//! [`artifact`] loads what `openeve build` wrote and checks it, [`folder`] keeps blobs in a folder
//! for `dev` and `serve`, [`logs`] writes one JSON line an event, or a readable one for people.
//!
//! It refuses to know Postgres, AWS, HTTP and JavaScript. Nothing here decides anything about a
//! run. This is the only crate that reads the process environment and the system clock.

pub mod artifact;
pub mod clock;
pub mod environment;
pub mod folder;
pub mod ids;
pub mod logs;
