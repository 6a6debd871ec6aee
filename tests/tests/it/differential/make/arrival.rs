//! Turns that arrive: new ones, the same again, answers, fires, and ids that collide.

use jiff::{SignedDuration, Timestamp};
use openeve_domain::channel::{ChannelTurn, IdempotencyKey};
use openeve_domain::commit::{Accept, Occurrence};
use openeve_domain::event::{Event, RUN_CREATED};
use openeve_domain::ids::{ConversationId, RunId};
use serde_json::{Value, json};

use super::{Make, Op};

impl Make {
    pub(super) fn accept(&mut self) -> Op {
        let fires = !self.chance.likely(8);
        let taken = self.chance.pick(&self.rows.keys);
        let key = match taken.filter(|_| !self.chance.likely(8)) {
            Some(row) => row.key,
            None => format!("k{}", self.ids),
        };
        // Half of them go where somebody may wait for an answer.
        let waits = self.held.iter().rev().find(|held| held.status.is_waiting());
        let waits = waits.map(|held| held.turn.clone());
        let (channel, conversation) = match waits {
            Some(turn) if self.chance.likely(5) => (turn.channel, turn.conversation_key),
            _ => (
                self.chance.of(&["message", "message", "mail"]).to_owned(),
                self.chance.of(&["a", "b", "c", "d\0"]).to_owned(),
            ),
        };
        let occurrence = fires.then(|| self.occurrence());
        let accept = Accept {
            run_id: self.fresh_or_known_run(),
            conversation_id: self.fresh_or_known_conversation(),
            agent_id: self.agent().to_owned(),
            agent_revision: "revision-1".into(),
            trigger: if fires { "schedule" } else { "message" },
            turn: ChannelTurn {
                channel,
                conversation_key: conversation,
                text: self.text("go", "g\0o").into(),
                tenant: self
                    .chance
                    .of(&[None, Some("north"), Some("so\0th")])
                    .map(str::to_owned),
                sender: self
                    .chance
                    .of(&[None, Some("ada"), Some("bob")])
                    .map(str::to_owned),
                reply_target: self.target(),
            },
            may_answer: !fires,
            idempotency: IdempotencyKey::channel("message", &key),
            idempotency_ttl_hours: self.chance.of(&[1, 48]),
            events: vec![Event::new(RUN_CREATED, json!({"trigger": "so\0 it goes"}))],
            trace_parent: self.chance.likely(3).then(|| "00-1-2-01".to_owned()),
            occurrence,
        };
        Op::Accept(Box::new(accept))
    }

    fn target(&mut self) -> Value {
        match self.chance.below(3) {
            0 => Value::Null,
            1 => json!({"to": "x\0y", "n": [1, 2.5, true, null]}),
            _ => json!("thread"),
        }
    }

    fn occurrence(&mut self) -> Occurrence {
        let minutes = i64::try_from(self.chance.below(4)).unwrap();
        Occurrence {
            schedule: "daily".into(),
            at: Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes),
        }
    }

    /// An id made twice is refused.
    fn fresh_or_known_run(&mut self) -> RunId {
        if self.chance.below(40) == 0 {
            return self.run();
        }
        RunId::new(self.uuid())
    }

    fn fresh_or_known_conversation(&mut self) -> ConversationId {
        match self.chance.pick(&self.rows.runs) {
            Some(run) if self.chance.below(40) == 0 => run.conversation_id,
            _ => ConversationId::new(self.uuid()),
        }
    }
}
