//! One standard queue: what it holds, what it hands out next, and what it gives up. Pure.
//!
//! Message groups are served in turn, as SQS does it for fair queues. AWS first serves groups that
//! are quiet, and calls one noisy that has more than a tenth of the messages in flight and at least
//! 30 of them, or more than a tenth of the consumers' time. Here every group takes part at once and
//! without thresholds: who has fewer messages in flight goes first, and among equals the n-th
//! waiting message of each group belongs to the n-th round. A message without a group is a group of
//! its own, so that a queue without any groups hands out the oldest first.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::rules::Refusal;
use crate::sqs::Depth;

/// How a queue was created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    /// How long a received message stays invisible.
    pub(super) visibility: Duration,
    /// The dead-letter queue's name, and the receives that a message gets before it goes there.
    pub(super) redrive: Option<(String, u64)>,
}

/// What a sender gives.
#[derive(Debug, Clone, Default)]
pub(super) struct Sent {
    pub(super) id: String,
    pub(super) body: String,
    pub(super) group: Option<String>,
    pub(super) trace: Option<String>,
    pub(super) attributes: Option<Value>,
}

#[derive(Debug)]
pub(super) struct Message {
    sent: Sent,
    round: u64,
    receives: u64,
    visible_at: Instant,
}

#[derive(Debug)]
pub(super) struct QueueState {
    pub(super) settings: Settings,
    /// In the order of arrival.
    messages: Vec<Message>,
    /// The round of each group's newest message.
    newest_rounds: HashMap<String, u64>,
    /// The round that is being served.
    round: u64,
}

impl QueueState {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            messages: Vec::new(),
            newest_rounds: HashMap::new(),
            round: 0,
        }
    }

    /// Takes a message, to be seen from an instant on.
    pub(super) fn push(&mut self, sent: Sent, visible_at: Instant) {
        let mut round = self.round;
        if let Some(group) = &sent.group {
            if let Some(newest) = self.newest_rounds.get(group) {
                round = round.max(newest + 1);
            }
            self.newest_rounds.insert(group.clone(), round);
        }
        self.messages.push(Message {
            sent,
            round,
            receives: 0,
            visible_at,
        });
    }

    /// Takes a message that another queue gave up.
    pub(super) fn push_dead(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Takes out the messages that were received as often as the redrive policy allows.
    pub(super) fn take_dead(&mut self, now: Instant) -> Vec<Message> {
        let Some((_, receives_max)) = self.settings.redrive else {
            return Vec::new();
        };
        self.messages
            .extract_if(.., |message| {
                message.visible_at <= now && message.receives >= receives_max
            })
            .collect()
    }

    /// Hands out up to `count` messages as SQS words them, with the system attributes asked for.
    pub(super) fn receive(&mut self, now: Instant, count: usize, asked: &[&str]) -> Vec<Value> {
        let mut received = Vec::new();
        while received.len() < count
            && let Some(index) = self.next(now)
        {
            let message = &mut self.messages[index];
            message.receives += 1;
            message.visible_at = now + self.settings.visibility;
            self.round = self.round.max(message.round);
            received.push(message.as_received(asked));
        }
        received
    }

    /// The index of the message whose turn it is.
    fn next(&self, now: Instant) -> Option<usize> {
        let mut in_flight: HashMap<&str, u64> = HashMap::new();
        for message in self.messages.iter().filter(|one| one.is_in_flight(now)) {
            if let Some(group) = &message.sent.group {
                *in_flight.entry(group).or_default() += 1;
            }
        }
        let busy = |message: &Message| {
            let group = message.sent.group.as_deref();
            group.and_then(|group| in_flight.get(group)).copied()
        };
        let visible = self.messages.iter().enumerate();
        visible
            .filter(|(_, message)| message.visible_at <= now)
            .min_by_key(|(_, message)| (busy(message).unwrap_or_default(), message.round))
            .map(|(index, _)| index)
    }

    /// Deletes a received message. As on AWS, an outdated receipt is accepted and does nothing.
    pub(super) fn delete(&mut self, receipt: &str) -> Result<(), Refusal> {
        if !receipt.contains('#') {
            return Err(Refusal::receipt());
        }
        self.messages
            .retain(|message| message.receipt().as_deref() != Some(receipt));
        Ok(())
    }

    /// Makes a message in flight visible at another instant.
    pub(super) fn set_visible(
        &mut self,
        receipt: &str,
        now: Instant,
        at: Instant,
    ) -> Result<(), Refusal> {
        let message = self
            .messages
            .iter_mut()
            .find(|message| message.receipt().as_deref() == Some(receipt))
            .filter(|message| message.is_in_flight(now));
        let Some(message) = message else {
            return Err(Refusal::not_in_flight());
        };
        message.visible_at = at;
        Ok(())
    }

    /// When the next message becomes visible that is not.
    pub(super) fn next_visible(&self, now: Instant) -> Option<Instant> {
        let hidden = self.messages.iter().map(|message| message.visible_at);
        hidden.filter(|at| *at > now).min()
    }

    pub(super) fn depth(&self, now: Instant) -> Depth {
        let mut depth = Depth::default();
        for message in &self.messages {
            if message.visible_at <= now {
                depth.visible += 1;
            } else if message.is_in_flight(now) {
                depth.in_flight += 1;
            } else {
                depth.delayed += 1;
            }
        }
        depth
    }
}

impl Message {
    fn is_in_flight(&self, now: Instant) -> bool {
        self.receives > 0 && self.visible_at > now
    }

    /// What its newest receiver holds.
    fn receipt(&self) -> Option<String> {
        (self.receives > 0).then(|| format!("{}#{}", self.sent.id, self.receives))
    }

    fn as_received(&self, asked: &[&str]) -> Value {
        let receives = self.receives.to_string();
        let known = [
            ("ApproximateReceiveCount", Some(receives.as_str())),
            ("AWSTraceHeader", self.sent.trace.as_deref()),
            ("MessageGroupId", self.sent.group.as_deref()),
        ];
        let mut message = json!({
            "MessageId": self.sent.id,
            "ReceiptHandle": self.receipt(),
            "Body": self.sent.body,
        });
        for (name, value) in known {
            if let Some(value) = value
                && (asked.contains(&"All") || asked.contains(&name))
            {
                message["Attributes"][name] = value.into();
            }
        }
        if let Some(attributes) = &self.sent.attributes {
            message["MessageAttributes"] = attributes.clone();
        }
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VISIBILITY: Duration = Duration::from_secs(30);

    fn queue(receives_max: u64) -> QueueState {
        QueueState::new(Settings {
            visibility: VISIBILITY,
            redrive: Some(("dead".to_owned(), receives_max)),
        })
    }

    fn sent(id: &str, group: Option<&str>) -> Sent {
        Sent {
            id: id.to_owned(),
            body: id.to_owned(),
            group: group.map(str::to_owned),
            ..Sent::default()
        }
    }

    fn bodies(received: &[Value]) -> Vec<&str> {
        received
            .iter()
            .map(|message| message["Body"].as_str().unwrap())
            .collect()
    }

    /// Receives and deletes one message.
    fn serve(queue: &mut QueueState, now: Instant) -> String {
        let received = queue.receive(now, 1, &[]);
        queue
            .delete(received[0]["ReceiptHandle"].as_str().unwrap())
            .unwrap();
        received[0]["Body"].as_str().unwrap().to_owned()
    }

    #[test]
    fn without_groups_the_oldest_is_first() {
        let now = Instant::now();
        let mut queue = queue(5);
        for id in ["a", "b", "c"] {
            queue.push(sent(id, None), now);
        }
        assert_eq!(bodies(&queue.receive(now, 2, &[])), ["a", "b"]);
        queue.push(sent("d", None), now);
        assert_eq!(bodies(&queue.receive(now, 10, &[])), ["c", "d"]);
    }

    #[test]
    fn groups_are_served_in_turn_however_much_one_has_sent() {
        let now = Instant::now();
        let mut queue = queue(5);
        for number in 0..1_000 {
            queue.push(sent(&format!("loud {number}"), Some("loud")), now);
        }
        assert_eq!(serve(&mut queue, now), "loud 0");
        for id in ["quiet 0", "quiet 1"] {
            queue.push(sent(id, Some("quiet")), now);
        }
        queue.push(sent("alone", None), now);
        let served: Vec<String> = (0..6).map(|_| serve(&mut queue, now)).collect();
        assert_eq!(
            served,
            ["quiet 0", "alone", "loud 1", "quiet 1", "loud 2", "loud 3"]
        );
    }

    #[test]
    fn a_group_with_more_in_flight_waits_for_those_with_less() {
        let now = Instant::now();
        let mut queue = queue(5);
        for number in 0..10 {
            queue.push(sent(&format!("loud {number}"), Some("loud")), now);
        }
        queue.receive(now, 3, &[]);
        for number in 0..5 {
            queue.push(sent(&format!("quiet {number}"), Some("quiet")), now);
        }
        assert_eq!(
            bodies(&queue.receive(now, 5, &[])),
            ["quiet 0", "quiet 1", "quiet 2", "loud 3", "quiet 3"]
        );
    }

    #[test]
    fn a_received_message_is_invisible_until_its_time_is_up_and_dead_after_its_receives() {
        let now = Instant::now();
        let mut queue = queue(2);
        queue.push(sent("a", None), now);
        let first = queue.receive(now, 1, &["ApproximateReceiveCount"]);
        assert_eq!(first[0]["Attributes"]["ApproximateReceiveCount"], "1");
        assert_eq!(queue.receive(now, 1, &[]), Vec::<Value>::new());
        assert_eq!(queue.next_visible(now), Some(now + VISIBILITY));
        let later = now + VISIBILITY;
        let second = queue.receive(later, 1, &["ApproximateReceiveCount"]);
        assert_eq!(second[0]["Attributes"]["ApproximateReceiveCount"], "2");
        queue
            .delete(first[0]["ReceiptHandle"].as_str().unwrap())
            .unwrap();
        assert_eq!(queue.depth(later).in_flight, 1, "its receipt is outdated");
        assert_eq!(queue.take_dead(later).len(), 0);
        assert_eq!(queue.take_dead(later + VISIBILITY).len(), 1);
        assert_eq!(queue.depth(later), Depth::default());
    }

    #[test]
    fn a_message_in_flight_can_be_given_back_and_no_other() {
        let now = Instant::now();
        let mut queue = queue(5);
        queue.push(sent("a", None), now);
        queue.push(sent("delayed", None), now + VISIBILITY);
        let received = queue.receive(now, 10, &[]);
        assert_eq!(bodies(&received), ["a"]);
        let receipt = received[0]["ReceiptHandle"].as_str().unwrap();
        queue.set_visible(receipt, now, now).unwrap();
        assert!(queue.set_visible(receipt, now, now).is_err());
        assert!(queue.delete("garbled").is_err());
        let depth = queue.depth(now);
        assert_eq!((depth.visible, depth.in_flight, depth.delayed), (1, 0, 1));
    }
}
