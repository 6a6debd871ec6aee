//! Integration: the real handlers over real Postgres, with scripted thinking.

mod accept;
mod budget;
mod commit;
mod delivery;
mod migrations;
mod outage;
mod recovery;
mod schedule;
mod step;
mod support;
