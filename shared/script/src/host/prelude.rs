//! The JavaScript side of the host, compiled in; evaluated per context, the rarer parts on demand.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the engine's binding hands arguments over by value"
)]

use rquickjs::context::EvalOptions;
use rquickjs::{Ctx, Exception, Function, Object, Result};

const CORE: &str = include_str!("../js/core.js");
const BLOB: &str = include_str!("../js/blob.js");
const CLONE: &str = include_str!("../js/clone.js");
const CRYPTO: &str = include_str!("../js/crypto.js");
const EVENTS: &str = include_str!("../js/events.js");
const FETCH: &str = include_str!("../js/fetch.js");
const HEADERS: &str = include_str!("../js/headers.js");
const QUEUES: &str = include_str!("../js/queues.js");
const STREAMS: &str = include_str!("../js/streams.js");
const SUBTLE: &str = include_str!("../js/subtle.js");
const TEXT: &str = include_str!("../js/text.js");
const TRANSFORMS: &str = include_str!("../js/transforms.js");
const URL: &str = include_str!("../js/url.js");
const WRITABLES: &str = include_str!("../js/writables.js");

/// Defines the globals and returns `{ run, gate, fire, settled }`.
pub(crate) fn evaluate<'js>(
    ctx: &Ctx<'js>,
    host: Object<'js>,
    info: Object<'js>,
) -> Result<Object<'js>> {
    function(ctx, "core", CORE)?.call((host, info))
}

/// The function that makes some globals, for the prelude to call.
pub(super) fn load(ctx: Ctx<'_>, file: String) -> Result<Function<'_>> {
    let source = match file.as_str() {
        "blob" => BLOB,
        "clone" => CLONE,
        "crypto" => CRYPTO,
        "events" => EVENTS,
        "fetch" => FETCH,
        "headers" => HEADERS,
        "queues" => QUEUES,
        "streams" => STREAMS,
        "subtle" => SUBTLE,
        "text" => TEXT,
        "transforms" => TRANSFORMS,
        "url" => URL,
        "writables" => WRITABLES,
        _ => {
            return Err(Exception::throw_reference(
                &ctx,
                "no such part of the prelude",
            ));
        }
    };
    function(&ctx, &file, source)
}

fn function<'js>(ctx: &Ctx<'js>, file: &str, source: &str) -> Result<Function<'js>> {
    let mut options = EvalOptions::default();
    options.filename = Some(format!("openeve:{file}"));
    ctx.eval_with_options(source, options)
}
