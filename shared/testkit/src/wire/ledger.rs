//! What one connection owes: which requests are unanswered, and what their answers will mean.
//!
//! A request that the server answers with `ReadyForQuery` is a group: everything up to a Sync, or
//! one simple query. Pure bookkeeping; [`super::relay`] moves the bytes.

use std::collections::{HashMap, VecDeque};

use super::{FaultKind, Tally};

/// The account of one connection.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    has_logged_in: bool,
    /// A round trip is under way.
    in_round: bool,
    /// Sent, not yet closed by a Sync; none if nothing was sent since the last one.
    open: Option<Group>,
    /// Closed and unanswered, oldest first.
    sent: VecDeque<Group>,
    /// The transaction that is under way has done something.
    has_worked: bool,
    statements: HashMap<Vec<u8>, String>,
    portals: HashMap<Vec<u8>, String>,
}

#[derive(Debug, Default)]
struct Group {
    has_work: bool,
    fault: Option<FaultKind>,
}

/// What to do with a message of the server.
#[derive(Debug)]
pub(super) enum Verdict {
    Forward,
    Swallow,
    Hold(crate::gate::Gate),
    Close,
}

impl Ledger {
    /// Books a client's message. True means: it must not reach the server; close the connection.
    pub(super) fn client_says(&mut self, tally: &mut Tally, tag: u8, body: &[u8]) -> bool {
        if !self.has_logged_in || tag == b'X' {
            return false;
        }
        if !self.in_round {
            self.in_round = true;
            tally.counts.round_trips += 1;
        }
        match tag {
            b'Q' => self.work(tally, &text(body)),
            b'P' => self.parse(tally, body),
            b'B' => self.bind(body),
            b'E' => {
                let (portal, _) = split(body);
                let sql = self.portals.get(portal).cloned().unwrap_or_default();
                self.work(tally, &sql);
            }
            b'F' => self.group().has_work = true,
            // Copy data belongs to a query that is already booked.
            b'd' | b'c' | b'f' => return false,
            _ => {
                self.group();
            }
        }
        let is_lost = matches!(
            &self.open,
            Some(Group {
                fault: Some(FaultKind::LoseRequest),
                ..
            })
        );
        if matches!(tag, b'Q' | b'F' | b'S') {
            self.sent.push_back(self.open.take().unwrap_or_default());
        }
        is_lost
    }

    /// Books a server's message and says what becomes of it.
    pub(super) fn server_says(&mut self, tally: &mut Tally, tag: u8, body: &[u8]) -> Verdict {
        let is_ready = tag == b'Z';
        if !self.has_logged_in {
            if is_ready {
                self.has_logged_in = true;
                tally.counts.connections += 1;
            }
            return Verdict::Forward;
        }
        let fault = match self.sent.front_mut().or(self.open.as_mut()) {
            Some(group) => match &group.fault {
                Some(FaultKind::HoldAnswer(_)) => group.fault.take(),
                fault => fault.clone(),
            },
            None => None,
        };
        if is_ready {
            self.answered(tally, body.first() == Some(&b'I'));
        }
        match fault {
            Some(FaultKind::HoldAnswer(gate)) => Verdict::Hold(gate),
            Some(FaultKind::LoseAnswer) if is_ready => Verdict::Close,
            Some(FaultKind::LoseAnswer) => Verdict::Swallow,
            Some(FaultKind::LoseRequest) | None => Verdict::Forward,
        }
    }

    fn answered(&mut self, tally: &mut Tally, is_idle: bool) {
        let group = self.sent.pop_front().unwrap_or_default();
        self.has_worked |= group.has_work;
        if is_idle && self.has_worked {
            tally.counts.transactions += 1;
            self.has_worked = false;
        }
        self.in_round = self.open.is_some() || !self.sent.is_empty();
    }

    fn work(&mut self, tally: &mut Tally, sql: &str) {
        let fault = tally.statement(sql);
        let group = self.group();
        group.has_work = true;
        group.fault = group.fault.take().or(fault);
    }

    fn parse(&mut self, tally: &mut Tally, body: &[u8]) {
        let (name, rest) = split(body);
        if !name.is_empty() {
            tally.counts.named_statements += 1;
        }
        self.statements.insert(name.to_vec(), text(rest));
        self.group();
    }

    fn bind(&mut self, body: &[u8]) {
        let (portal, rest) = split(body);
        let (statement, _) = split(rest);
        let sql = self.statements.get(statement).cloned().unwrap_or_default();
        self.portals.insert(portal.to_vec(), sql);
        self.group();
    }

    fn group(&mut self) -> &mut Group {
        self.open.get_or_insert_default()
    }
}

/// A text up to its NUL, and what follows it.
fn split(body: &[u8]) -> (&[u8], &[u8]) {
    let end = body
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(body.len());
    let (word, rest) = body.split_at(end);
    (word, rest.get(1..).unwrap_or_default())
}

fn text(body: &[u8]) -> String {
    String::from_utf8_lossy(split(body).0).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged_in(tally: &mut Tally) -> Ledger {
        let mut ledger = Ledger::default();
        assert!(!ledger.client_says(tally, b'p', b"secret"));
        ledger.server_says(tally, b'Z', b"I");
        ledger
    }

    fn query(ledger: &mut Ledger, tally: &mut Tally, sql: &str) {
        let bind = format!("\0\0{sql}");
        ledger.client_says(tally, b'P', format!("\0{sql}\0").as_bytes());
        ledger.client_says(tally, b'B', bind.as_bytes());
        ledger.client_says(tally, b'E', b"\0\0\0\0\0");
        ledger.client_says(tally, b'S', b"");
    }

    #[test]
    fn what_is_sent_before_all_is_answered_is_one_round_trip() {
        let mut tally = Tally::default();
        let mut ledger = logged_in(&mut tally);
        ledger.client_says(&mut tally, b'Q', b"BEGIN\0");
        query(&mut ledger, &mut tally, "SELECT 1");
        ledger.server_says(&mut tally, b'Z', b"T");
        ledger.client_says(&mut tally, b'Q', b"COMMIT\0");
        ledger.server_says(&mut tally, b'Z', b"T");
        ledger.server_says(&mut tally, b'Z', b"I");
        let expected = super::super::Counts {
            connections: 1,
            round_trips: 1,
            statements: 3,
            transactions: 1,
            ..Default::default()
        };
        assert_eq!(tally.counts, expected);
        assert_eq!(tally.texts, ["BEGIN", "SELECT 1", "COMMIT"]);
        query(&mut ledger, &mut tally, "SELECT 2");
        assert_eq!(tally.counts.round_trips, 2);
    }

    #[test]
    fn preparing_alone_is_a_round_trip_without_statement_or_transaction() {
        let mut tally = Tally::default();
        let mut ledger = logged_in(&mut tally);
        ledger.client_says(&mut tally, b'P', b"s0\0SELECT 1\0\0\0");
        ledger.client_says(&mut tally, b'S', b"");
        ledger.server_says(&mut tally, b'Z', b"I");
        let counts = tally.counts;
        assert_eq!(
            (counts.round_trips, counts.statements, counts.transactions),
            (1, 0, 0)
        );
        assert_eq!(counts.named_statements, 1);
    }

    #[test]
    fn a_lost_answer_swallows_its_own_group_only_and_closes_at_its_end() {
        let mut tally = Tally::default();
        let mut ledger = logged_in(&mut tally);
        tally.armed.push(super::super::Armed {
            contains: "COMMIT".into(),
            skip: 0,
            kind: FaultKind::LoseAnswer,
        });
        query(&mut ledger, &mut tally, "SELECT 1");
        ledger.client_says(&mut tally, b'Q', b"COMMIT\0");
        assert!(tally.armed.is_empty());
        assert!(matches!(
            ledger.server_says(&mut tally, b'D', b""),
            Verdict::Forward
        ));
        assert!(matches!(
            ledger.server_says(&mut tally, b'Z', b"T"),
            Verdict::Forward
        ));
        assert!(matches!(
            ledger.server_says(&mut tally, b'C', b""),
            Verdict::Swallow
        ));
        assert!(matches!(
            ledger.server_says(&mut tally, b'Z', b"I"),
            Verdict::Close
        ));
    }
}
