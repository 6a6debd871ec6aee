//! What begins a worker: a message, a bell, people who decide or cancel.

use openeve_domain::bell::{Bell, Place};
use openeve_domain::limits::STEP_FUNCTION_TIMEOUT_MS;
use openeve_domain::pause::{PauseKind, PauseStatus};
use openeve_runtime::delivery::deliver;
use openeve_runtime::step::step;

use super::actors;
use super::driver::{Driver, Post, Task};
use super::scenario::{Habit, Say};

impl Driver {
    pub(super) fn post(&mut self, at: usize) {
        let ports = self.ports(self.workers);
        let deps = self.ingress_deps(&ports);
        let Some(post) = self.posts.get_mut(at) else {
            return;
        };
        post.under_way = true;
        let (id, say) = (post.id.clone(), post.say.clone());
        self.start(Task::Post(at), Box::pin(actors::post(deps, id, say)));
    }

    pub(super) fn answer(&mut self, bell: Bell) {
        let ports = self.ports(self.workers);
        match bell.at {
            Place::Run { run_id } => {
                let deps = self.step_deps(&ports);
                let work =
                    async move { step(&deps, run_id, STEP_FUNCTION_TIMEOUT_MS).await.is_ok() };
                self.start(Task::Bell(bell), Box::pin(work));
            }
            Place::Delivery { delivery_id } => {
                let deps = self.delivery_deps(&ports);
                let work = async move { deliver(&deps, delivery_id).await.is_ok() };
                self.start(Task::Bell(bell), Box::pin(work));
            }
        }
    }

    pub(super) fn people(&mut self) {
        self.next_people += 9_000;
        // Nothing has happened since they last looked.
        let points = self.core.lock().unwrap().points;
        if std::mem::replace(&mut self.looked_at, points) == points {
            return;
        }
        let snapshot = self.memory.snapshot();
        for act in actors::acts(self.habit, &snapshot) {
            let deps = self.resume_deps(&self.ports(self.workers));
            let work = async move {
                actors::act(deps, act).await;
                true
            };
            self.start(Task::Person, Box::pin(work));
        }
        let asked = snapshot
            .pauses
            .iter()
            .any(|pause| pause.status == PauseStatus::Pending && pause.kind == PauseKind::Input);
        let writing = self.posts.iter().any(|post| !post.acknowledged);
        if self.habit == Habit::Reply && asked && !writing {
            let now = self.core.lock().unwrap().now;
            let id = format!("answer{}", self.answered.len());
            self.answered.push(id.clone());
            let say = Say {
                at_ms: 0,
                conversation: "a",
                text: "\"yes",
                copies: 1,
            };
            self.posts.push(Post {
                copies: say.copies,
                say,
                id,
                acknowledged: false,
                at: now,
                under_way: false,
            });
        }
    }

    pub(super) fn cancel(&mut self) {
        self.cancel = None;
        let snapshot = self.memory.snapshot();
        let Some(run) = snapshot.runs.iter().find(|run| !run.status.is_terminal()) else {
            return;
        };
        let deps = self.resume_deps(&self.ports(self.workers));
        let id = run.id;
        let work = async move {
            actors::stop(deps, id).await;
            true
        };
        self.start(Task::Person, Box::pin(work));
    }
}
