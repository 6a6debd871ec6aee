//! Node's built-in modules: what they export, and what they say, side by side with Node.

use openeve_domain::node::BUILTINS;
use serde_json::{Value, json};

use super::{Bench, output};

/// What each offered module of Node 20.20.2 exports, one module a line.
const EXPORTS: &str = include_str!("node_exports.txt");
/// Keys, then expressions and what Node 20.20.2 said to each; `node_cases.mjs` makes them.
const CASES: &str = include_str!("node_cases.jsonl");

/// A module that runs expressions with the names that `node_cases.mjs` gives them.
const RUNNER: &str = r#"
import buffer, { Buffer } from "node:buffer"; import path from "node:path"; import util from "node:util";
import events from "node:events"; import assert from "node:assert"; import qs from "node:querystring";
import sd from "node:string_decoder"; import url from "node:url"; import crypto from "node:crypto"; import zlib from "node:zlib";
import stream from "node:stream"; import consumers from "node:stream/consumers"; import os from "node:os";
import timers from "node:timers/promises"; import punycode from "node:punycode"; import asyncHooks from "node:async_hooks";
import channels from "node:diagnostics_channel";
const told = (value) => {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) return value.map(told);
  if (typeof value === "object" && value !== null && Object.getPrototypeOf(value)?.constructor?.name !== "Date") return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, told(held)]));
  return value === undefined ? null : value;
};
export default { async execute({ keys, expressions }) {
  const scope = { EventEmitter: events, ...keys, buffer, path, util, events, assert, qs, sd, url, crypto, zlib, stream, consumers, os, timers, punycode, asyncHooks, channels };
  const said = [];
  for (const expression of expressions) {
    try {
      said.push(told(await new Function(...Object.keys(scope), `return (${expression});`)(...Object.values(scope))));
    } catch (error) {
      said.push(`${error.name} ${error.code}: ${error.message}`);
    }
  }
  return JSON.parse(JSON.stringify(said));
} };"#;

#[tokio::test]
async fn the_modules_say_what_node_says() {
    let mut lines = CASES
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let keys: Value = lines.next().unwrap();
    let cases: Vec<(String, Value)> = lines
        .map(|case: Value| (case[0].as_str().unwrap().to_owned(), case[1].clone()))
        .collect();
    assert!(cases.len() > 100);
    let expressions: Vec<&str> = cases
        .iter()
        .map(|(expression, _)| expression.as_str())
        .collect();
    let input = json!({"keys": keys, "expressions": expressions});
    let outcome = Bench::new().run_module(RUNNER, input).await;
    let said = output(outcome).result;
    let wrong: Vec<String> = cases
        .iter()
        .zip(said.as_array().unwrap())
        .filter(|((_, expected), said)| expected != *said)
        .map(|((expression, expected), said)| {
            format!("{expression}\n  node: {expected}\n  here: {said}")
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn every_offered_module_loads_and_exports_every_name_that_node_does() {
    let mut wrong = Vec::new();
    let lines = EXPORTS.lines().filter(|line| !line.starts_with('#'));
    let exports: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(':')).collect();
    let offered: Vec<&str> = BUILTINS
        .iter()
        .filter(|found| found.is_offered())
        .map(|found| found.name)
        .collect();
    assert_eq!(
        exports.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        offered
    );
    for (name, names) in exports {
        let names: Vec<&str> = names.split_whitespace().collect();
        // Names and default both, since packages use either; the old names without `node:` too.
        let module = format!(
            "import * as whole from {name:?}; import main from \"node:{name}\";\n\
             export default {{ execute: ({{ names }}) => names.filter((name) => !(name in whole) || !(name in main)) }};"
        );
        let outcome = Bench::new()
            .run_module(&module, json!({"names": names}))
            .await;
        let missing = output(outcome).result;
        if missing != json!([]) {
            wrong.push(format!("{name} lacks {missing}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn what_tools_do_not_have_of_a_module_says_so_when_it_is_called() {
    let body = "
      const crypto = await import('node:crypto'); const zlib = await import('zlib'); const { createRequire } = await import('node:module');
      const said = [];
      for (const call of [() => crypto.scryptSync('a', 'b', 1), () => crypto.createCipheriv('aes-256-cbc', Buffer.alloc(32), Buffer.alloc(16)),
        () => new crypto.X509Certificate('x'), () => crypto.createHash('ripemd160'), () => zlib.brotliCompressSync('x'), () => process.exit(1),
        () => process.chdir('/x'), () => createRequire('/x')('fs')]) {
        try { call(); said.push('nothing'); } catch (error) { said.push(error.message); }
      }
      return said;";
    let said = Bench::new().value(body).await;
    let expected = [
        "crypto.scryptSync is not available in tools; use crypto.pbkdf2Sync",
        "The cipher aes-256-cbc is not available in tools; they have aes-256-gcm and aes-128-gcm, also as AES-GCM of crypto.subtle",
        "crypto.X509Certificate is not available in tools; use what crypto.subtle has",
        "Digest method not supported: ripemd160; tools have md5, sha1",
        "zlib.brotliCompressSync is not available in tools; use gzip or deflate",
        "process.exit(1) is not available in tools: return from execute, or throw an error",
        "process.chdir is not available in tools",
        "require(\"fs\") is not available in tools: a tool is one bundle, so import \"fs\" instead",
    ];
    for (said, expected) in said.as_array().unwrap().iter().zip(expected) {
        let said = said.as_str().unwrap();
        assert!(said.starts_with(expected), "{said}");
    }
}

#[tokio::test]
async fn the_globals_are_made_on_first_use_and_are_the_modules_own() {
    let body = "
      const before = Object.getOwnPropertyDescriptor(globalThis, 'Buffer').get !== undefined;
      const bytes = Buffer.from('hi');
      const { Buffer: imported } = await import('node:buffer');
      const { default: imported_process, env } = await import('node:process');
      return [before, bytes instanceof imported, imported === Buffer, imported_process === process, env === process.env,
        process.env.GREETING, global === globalThis];";
    let bench = Bench::new().env("GREETING", "hello");
    assert_eq!(
        bench.value(body).await,
        json!([true, true, true, true, true, "hello", true])
    );
    // A package that brings its own keeps it.
    let own = Bench::new()
        .value("globalThis.Buffer = 'mine'; await import('node:buffer'); return Buffer;")
        .await;
    assert_eq!(own, json!("mine"));
}

#[tokio::test]
async fn nobody_but_the_modules_themselves_can_import_their_parts() {
    for name in ["openeve:native", "node:internal/errors", "node:fs", "fs"] {
        let error = Bench::new()
            .error(&format!("await import({name:?});"))
            .await;
        assert!(error.contains("can import only"), "{name}: {error}");
    }
}

#[tokio::test]
async fn what_comes_out_of_a_few_bytes_is_bounded() {
    let body = "
      const zlib = await import('node:zlib');
      const small = zlib.gzipSync(Buffer.alloc(1000));
      try { zlib.gunzipSync(small, { maxOutputLength: 999 }); } catch (error) { return [error.code, small.length < 100]; }";
    assert_eq!(
        Bench::new().value(body).await,
        json!(["ERR_BUFFER_TOO_LARGE", true])
    );
    let error = Bench::new()
        .error("(await import('node:crypto')).pbkdf2Sync('a', 'b', 2 ** 31 - 1, 64, 'sha1');")
        .await;
    assert!(error.contains("so many iterations"), "{error}");
}
