//! Moves one connection's bytes, in whole messages, as the ledger says.

use std::io;
use std::sync::Mutex;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio_postgres::Config;

use super::frames::Frames;
use super::ledger::{Ledger, Verdict};
use super::{Shared, target};

const CANCEL: &[u8] = &80_877_102_u32.to_be_bytes();
const TLS: &[u8] = &80_877_103_u32.to_be_bytes();
const GSS: &[u8] = &80_877_104_u32.to_be_bytes();
const CHUNK_BYTES: usize = 16 * 1_024;

/// Relays until either side ends or a fault closes the connection.
pub(super) async fn relay(client: TcpStream, upstream: &Config, shared: &Shared) -> io::Result<()> {
    match target(upstream) {
        Ok(path) => both_ways(client, UnixStream::connect(path).await?, shared).await,
        Err(address) => {
            let server = TcpStream::connect(address).await?;
            server.set_nodelay(true)?;
            both_ways(client, server, shared).await
        }
    }
}

async fn both_ways<S>(client: TcpStream, server: S, shared: &Shared) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite,
{
    let (mut from_client, mut to_client) = tokio::io::split(client);
    let (from_server, mut to_server) = tokio::io::split(server);
    let mut frames = Frames::default();
    if !log_in(
        &mut frames,
        &mut from_client,
        &mut to_client,
        &mut to_server,
        shared,
    )
    .await?
    {
        // A cancel request: nothing follows it.
        return Ok(());
    }
    let ledger = Mutex::new(Ledger::default());
    tokio::select! {
        end = upwards(frames, from_client, to_server, &ledger, shared) => end,
        end = downwards(from_server, to_client, &ledger, shared) => end,
    }
}

/// Passes on what precedes the login; encryption is declined. False if there is no login.
async fn log_in(
    frames: &mut Frames,
    from_client: &mut (impl AsyncRead + Unpin),
    to_client: &mut (impl AsyncWrite + Unpin),
    to_server: &mut (impl AsyncWrite + Unpin),
    shared: &Shared,
) -> io::Result<bool> {
    loop {
        let Some(frame) = frames.next_untyped() else {
            let count = fill(frames, from_client).await?;
            shared.tally().counts.bytes_to_server += count;
            continue;
        };
        if frame.body().starts_with(TLS) || frame.body().starts_with(GSS) {
            to_client.write_all(b"N").await?;
            continue;
        }
        to_server.write_all(&frame.bytes).await?;
        return Ok(!frame.body().starts_with(CANCEL));
    }
}

async fn upwards(
    mut frames: Frames,
    mut from_client: impl AsyncRead + Unpin,
    mut to_server: impl AsyncWrite + Unpin,
    ledger: &Mutex<Ledger>,
    shared: &Shared,
) -> io::Result<()> {
    loop {
        let mut passed = Vec::new();
        let mut is_lost = false;
        while let Some(mut frame) = frames.next_typed() {
            shared.tally().rewrite(&mut frame);
            let mut ledger = ledger.lock().expect("no holder panics");
            let tag = frame.tag.unwrap_or_default();
            if ledger.client_says(&mut shared.tally(), tag, frame.body()) {
                is_lost = true;
                break;
            }
            passed.extend_from_slice(&frame.bytes);
        }
        to_server.write_all(&passed).await?;
        if is_lost {
            return Ok(());
        }
        let count = fill(&mut frames, &mut from_client).await?;
        shared.tally().counts.bytes_to_server += count;
    }
}

async fn downwards(
    mut from_server: impl AsyncRead + Unpin,
    mut to_client: impl AsyncWrite + Unpin,
    ledger: &Mutex<Ledger>,
    shared: &Shared,
) -> io::Result<()> {
    let mut frames = Frames::default();
    loop {
        fill(&mut frames, &mut from_server).await?;
        let mut passed = Vec::new();
        while let Some(frame) = frames.next_typed() {
            let tag = frame.tag.unwrap_or_default();
            let verdict = ledger.lock().expect("no holder panics").server_says(
                &mut shared.tally(),
                tag,
                frame.body(),
            );
            match verdict {
                Verdict::Forward => passed.extend_from_slice(&frame.bytes),
                Verdict::Swallow => {}
                Verdict::Hold(gate) => {
                    deliver(&mut to_client, &mut passed, shared).await?;
                    gate.pass().await;
                    passed.extend_from_slice(&frame.bytes);
                }
                Verdict::Close => return deliver(&mut to_client, &mut passed, shared).await,
            }
        }
        deliver(&mut to_client, &mut passed, shared).await?;
    }
}

/// Counts before it writes: whoever has an answer sees it counted.
async fn deliver(
    to_client: &mut (impl AsyncWrite + Unpin),
    passed: &mut Vec<u8>,
    shared: &Shared,
) -> io::Result<()> {
    shared.tally().counts.bytes_to_client += u64::try_from(passed.len()).unwrap_or_default();
    to_client.write_all(passed).await?;
    passed.clear();
    Ok(())
}

/// Reads some bytes; the end of the stream is an error, which ends the relay.
async fn fill(frames: &mut Frames, from: &mut (impl AsyncRead + Unpin)) -> io::Result<u64> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let count = from.read(&mut chunk).await?;
    if count == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    frames.push(chunk.get(..count).unwrap_or_default());
    Ok(u64::try_from(count).unwrap_or_default())
}
