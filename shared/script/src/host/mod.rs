//! What Rust grants a script: plain functions on an object only the prelude sees.
//!
//! No function here keeps a JavaScript value: the engine's collector could not see it.

mod data;
mod encode;
mod hash;
mod native;
mod network;
mod prelude;
mod question;
mod subtle;
mod timers;
mod tool;
mod unhandled;
mod urls;
mod zip;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use openeve_domain::manifest::ModuleRef;
use rquickjs::{Ctx, Function, Object, Result};
use tokio::sync::mpsc::UnboundedSender;

use crate::engine::Job;
use crate::environment::Environment;
use crate::limits::Limits;
use crate::modules::Modules;
use crate::wire::{Emitted, FromScript};

pub(crate) use native::{Native, builtin};
pub(crate) use prelude::evaluate;
pub(crate) use question::Questions;
pub(crate) use timers::Timers;
pub(crate) use unhandled::{Unhandled, track};

/// What the caller owes of a request under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owed {
    /// An answer to what was asked last.
    News,
    /// Nothing, until the script asks for more.
    Nothing,
}

/// The state behind the functions, for one script.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) limits: Limits,
    pub(crate) timers: Timers,
    pub(crate) unhandled: Unhandled,
    pub(crate) questions: Questions,
    run_id: String,
    call_id: String,
    tool: String,
    modules: Arc<Modules>,
    module: ModuleRef,
    environment: Arc<Environment>,
    emitted: Emitted,
    to_caller: UnboundedSender<FromScript>,
    requests: RefCell<HashMap<u32, Owed>>,
    last_request: Cell<u32>,
    lines: Cell<usize>,
}

impl Host {
    pub(crate) fn new(job: &Job) -> Rc<Self> {
        Rc::new(Self {
            limits: job.limits,
            timers: Timers::default(),
            unhandled: Unhandled::default(),
            questions: Questions::new(&job.answers),
            run_id: job.run_id.clone(),
            call_id: job.call_id.clone(),
            tool: job.tool.clone(),
            modules: Arc::clone(&job.modules),
            module: job.module.clone(),
            environment: Arc::clone(&job.environment),
            emitted: job.emitted.clone(),
            to_caller: job.to_caller.clone(),
            requests: RefCell::default(),
            last_request: Cell::new(0),
            lines: Cell::new(0),
        })
    }

    /// A text with the places in the module made those of the author's files.
    pub(crate) fn placed(&self, text: String) -> String {
        self.modules.placed(&self.module, text)
    }

    /// Requests of which the caller owes news.
    pub(crate) fn requests_pending(&self) -> usize {
        let requests = self.requests.borrow();
        requests
            .values()
            .filter(|owed| **owed == Owed::News)
            .count()
    }

    /// News of a request came, its last if `ends`; false if the script gave the request up before.
    pub(crate) fn request_answered(&self, id: u32, ends: bool) -> bool {
        let mut requests = self.requests.borrow_mut();
        let known = requests.contains_key(&id);
        if ends {
            requests.remove(&id);
        } else if known {
            requests.insert(id, Owed::Nothing);
        }
        known
    }

    /// The object with every function.
    pub(crate) fn object<'js>(self: &Rc<Self>, ctx: &Ctx<'js>) -> Result<Object<'js>> {
        let object = Object::new(ctx.clone())?;
        tool::install(self, &object)?;
        question::install(self, &object)?;
        network::install(self, &object)?;
        timers::install(self, &object)?;
        data::install(&object)?;
        subtle::install(&object)?;
        urls::install(&object)?;
        object.set("load", Function::new(ctx.clone(), prelude::load)?)?;
        object.set("builtin", Function::new(ctx.clone(), builtin)?)?;
        Ok(object)
    }
}
