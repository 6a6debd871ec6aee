//! `crypto.subtle`, held to published vectors and to keys that another program made.

use serde_json::json;

use super::Bench;

/// Shared by the scripts below.
const HELPERS: &str = "
  const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));
  const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const text = (value) => new TextEncoder().encode(value);
  const der = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const { subtle } = crypto;
";

async fn value(body: &str) -> serde_json::Value {
    Bench::new().value(&format!("{HELPERS}{body}")).await
}

#[tokio::test]
async fn digests_and_macs_match_their_published_vectors() {
    // FIPS 180-4 for "abc"; RFC 4231, test case 2.
    let found = value("
      const key = await subtle.importKey('raw', text('Jefe'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
      const tag = await subtle.sign('HMAC', key, text('what do ya want for nothing?'));
      return [hex(await subtle.digest('SHA-1', text('abc'))), hex(await subtle.digest({ name: 'sha-256' }, text('abc'))), hex(tag),
        await subtle.verify('HMAC', key, tag, text('what do ya want for nothing?')), await subtle.verify('HMAC', key, tag, text('other'))];").await;
    assert_eq!(
        found,
        json!([
            "a9993e364706816aba3e25717850c26c9cd0d89d",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            true,
            false
        ])
    );
}

#[tokio::test]
async fn ed25519_matches_its_published_vector() {
    // RFC 8032, 7.1, test 2.
    let found = value("
      const d = bytes('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb');
      const frame = bytes('302e020100300506032b657004220420');
      const pkcs8 = new Uint8Array(48); pkcs8.set(frame); pkcs8.set(d, 16);
      const key = await subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign']);
      const jwk = await subtle.exportKey('jwk', key);
      const open = await subtle.importKey('jwk', { kty: 'OKP', crv: 'Ed25519', x: jwk.x }, 'Ed25519', true, ['verify']);
      const signed = await subtle.sign('Ed25519', key, bytes('72'));
      return [hex(signed), hex(await subtle.exportKey('raw', open)), await subtle.verify('Ed25519', open, signed, bytes('72')), await subtle.verify('Ed25519', open, signed, bytes('73'))];").await;
    assert_eq!(
        found,
        json!([
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            true,
            false
        ])
    );
}

#[tokio::test]
async fn aes_gcm_matches_its_published_vector_and_notices_tampering() {
    // McGrew and Viega, "The Galois/Counter Mode of Operation", test case 4.
    let found = value("
      const key = await subtle.importKey('raw', bytes('feffe9928665731c6d6a8f9467308308'), 'AES-GCM', false, ['encrypt', 'decrypt']);
      const how = { name: 'AES-GCM', iv: bytes('cafebabefacedbaddecaf888'), additionalData: bytes('feedfacedeadbeeffeedfacedeadbeefabaddad2') };
      const plain = bytes('d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39');
      const sealed = await subtle.encrypt(how, key, plain);
      const opened = hex(await subtle.decrypt(how, key, sealed)) === hex(plain);
      const broken = new Uint8Array(sealed); broken[0] ^= 1;
      const why = await subtle.decrypt(how, key, broken).catch((error) => error.name);
      return [hex(sealed).slice(-32), opened, why];").await;
    assert_eq!(
        found,
        json!(["5bc94fbc3221a5db94fae95ae7121a47", true, "OperationError"])
    );
}

#[tokio::test]
async fn keys_that_another_program_made_sign_and_verify() {
    let body = format!("
      const rs = {{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }};
      const open = await subtle.importKey('spki', der('{RSA_SPKI}'), rs, true, ['verify']);
      const closed = await subtle.importKey('pkcs8', der('{RSA_PKCS8}'), rs, false, ['sign']);
      const es = {{ name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }};
      const curve = await subtle.importKey('pkcs8', der('{EC_PKCS8}'), es, true, ['sign']);
      const point = await subtle.importKey('spki', der('{EC_SPKI}'), es, true, ['verify']);
      const ed = await subtle.importKey('pkcs8', der('{ED_PKCS8}'), 'Ed25519', false, ['sign']);
      const hello = text('hello');
      return [hex(await subtle.sign(rs, closed, hello)) === hex(der('{RSA_SIGNED}')), await subtle.verify(rs, open, der('{RSA_SIGNED}'), hello),
        await subtle.verify(es, point, await subtle.sign(es, curve, hello), hello), (await subtle.exportKey('jwk', curve)).crv, ed.algorithm.name];");
    assert_eq!(
        value(&body).await,
        json!([true, true, true, "P-256", "Ed25519"])
    );
}

#[tokio::test]
async fn new_keys_work_and_keep_what_they_may_not_do() {
    let found = value("
      const made = [];
      for (const algorithm of ['Ed25519', { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }, { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' }]) {
        const { privateKey, publicKey } = await subtle.generateKey(algorithm, false, ['sign', 'verify']);
        const again = await subtle.importKey('spki', await subtle.exportKey('spki', publicKey), algorithm, true, ['verify']);
        const signed = await subtle.sign(algorithm, privateKey, text('a'));
        made.push(await subtle.verify(algorithm, again, signed, text('a')), await subtle.verify(algorithm, again, signed, text('b')));
        made.push(await subtle.exportKey('pkcs8', privateKey).catch((error) => error.name), privateKey instanceof CryptoKey);
      }
      const key = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
      made.push((await subtle.exportKey('raw', key)).byteLength, await subtle.verify('HMAC', key, new Uint8Array(1), text('a')).catch((error) => error.name));
      made.push(await subtle.generateKey({ name: 'X25519' }, true, []).catch((error) => error.name), ({}) instanceof CryptoKey);
      return made;").await;
    let pair = [
        json!(true),
        json!(false),
        json!("InvalidAccessError"),
        json!(true),
    ];
    let mut expected: Vec<serde_json::Value> = [&pair, &pair, &pair]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    expected.extend([
        json!(64),
        json!("InvalidAccessError"),
        json!("NotSupportedError"),
        json!(false),
    ]);
    assert_eq!(found, json!(expected));
}

#[tokio::test]
async fn a_key_that_is_none_is_an_error_and_no_crash() {
    let found = value("
      const failed = [];
      for (const attempt of [
        () => subtle.importKey('spki', new Uint8Array(3), { name: 'Ed25519' }, true, []),
        () => subtle.importKey('pkcs8', der('MAoCAQAwBQYDK2Vw'), { name: 'ECDSA', namedCurve: 'P-256' }, true, []),
        () => subtle.importKey('raw', new Uint8Array(7), 'AES-GCM', true, []),
        async () => subtle.sign('Ed25519', await subtle.importKey('pkcs8', bytes('302e020100300506032b65700422042001'), 'Ed25519', true, ['sign']), text('a')),
        () => subtle.sign('HMAC', {}, text('a')),
        () => subtle.digest('MD5', text('a')),
        () => new CryptoKey(),
      ]) {
        try { await attempt(); failed.push('none'); } catch (error) { failed.push(error instanceof Error); }
      }
      return failed;").await;
    assert_eq!(found, json!([true, true, true, true, true, true, true]));
}

const RSA_SPKI: &str = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAs+sWU/kGGN++hKCABNr0qkC1tmIZ/WwqfOI5cbV7yPfFfs4qehfw+9Qmf7FCvG74oLIjL6N9LPPhred73XMP3OpoajlDLf46wqv2Me/AGQnx4kMpH077GCHp8KX2aEhPpSNVu/4p25OU5yEq/jSZEwZy8bY/i8iIeHjtfzoZIGp3ikg5x0+qgRjGER3qSROYCRmsFlJRzG3fGQSYn9SvxOaUg7Nl7Jxz4KLL4Q1P7sBIfgA1XQe2QpykHdx9vKyt/ZIcNXxU7FoJPNYnvfChXd/tFDyFJSqV100Inna/cfjxNZTcZzYbGOeMU2sd1FxhHxyTfUjatiC37CtQdpUhqQIDAQAB";
const RSA_PKCS8: &str = "MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCz6xZT+QYY376EoIAE2vSqQLW2Yhn9bCp84jlxtXvI98V+zip6F/D71CZ/sUK8bvigsiMvo30s8+Gt53vdcw/c6mhqOUMt/jrCq/Yx78AZCfHiQykfTvsYIenwpfZoSE+lI1W7/inbk5TnISr+NJkTBnLxtj+LyIh4eO1/OhkganeKSDnHT6qBGMYRHepJE5gJGawWUlHMbd8ZBJif1K/E5pSDs2XsnHPgosvhDU/uwEh+ADVdB7ZCnKQd3H28rK39khw1fFTsWgk81ie98KFd3+0UPIUlKpXXTQiedr9x+PE1lNxnNhsY54xTax3UXGEfHJN9SNq2ILfsK1B2lSGpAgMBAAECggEAAjLwXexgP7OUX4iap/SJIv+ReP4v9SH6TvZw30vpjGZC2q7oY/+g6WMJaWwgNa9hiI1E0tM7t23vpzF6GRXL7tZKmmnCwXAnBbQWWTvl7Chr9Wj+uqw7c2sOsetFXLbtikYpSRftKQrfugd0wBCiglIE26Fvm2TDDj3kITbzkarWMeX/v//v7RJL4/iJT5pol5wO/TRqD0zR6QAq4o1IX+mY89BqeZ/0dBzC/e7OfaywnLF+qaJVUlKk88VvcOimDwcSiozpavVJJKsX6G7AQCRJVkHZns4uVIXqge8JgcmMi1IjorO8ruab+qHSxtN+jrk/CE87sKERDdOkRhMwhQKBgQDocwH+ndtQqqlL2JPAc9nq+Cb/yJuIS4ORyXH59vYB8cWn6nW+oD8XJxTbar/sJU6cr1/S2G3VyzmHIvaLrTTZnjH6TrwpNUqY+aJJjSrD3kNScuAZV0e4CYRVmkaCkTI6nf8zA0kPH/xXcIrHEuYtU12eq/6PrzWjU+lMdFfyywKBgQDGJZgpQ8L/EX2NT7vuV7ZB/oXRSwc97e/81C6fEaUspMuiUdoqUky3yhrZjGtL+5BC2w6Igl18ipL3ImeisISfve9zhSCzRGshp80XjO1HAD01yErh2NDs622adIODPwpc03N6dbRatbWNVqKGfPsIlISMIWzPYrivUMO9yYWK2wKBgEMEfYu6WXP9cEgUziyLekW7fAr8/JKkKu/KY5kM8cqHuVP7Ti1CqE31j5bfRSxBaVPVYEw66BfeutxSYUDOFFG1wXUIZEmBOtu2BWstTyofl8taoW/M8TmHTOcdTrzwPcoWqXA8v0CkGS3gnbJdqY1h3rkTn5YvjshjNf08AetXAoGAFvHhhd2/5dN7q3JxO69Sfp/flRXQF97GrItRfsAHVX0by4cY8U+obJvtsgVto1XVJbjCHRKjirltPUrxn0g7g1f2M3VWDQw+L56DxFdgXplrfR/dc/usbdLxVTJqzDbvl0IxHBwnL13dUSmYFmTAmQTBuIxiUj2HT13V3NNKMIMCgYAAoO2cQXqR17esaApyTb3oNKeJQjYBRRiPd8vunh3UKFEdWhDkBYg2b/8zRhyuz9wBdcV47w3TB4MQtsU+f0Oh+v/gMuI0lkamAGFcOXs/0eniU4hwEUSApTJoaKGvKHoKVHMPmMT/CeKrmhwechECVJkF8K9TtdV4i5VmuhfYgg==";
const RSA_SIGNED: &str = "I5Lt5vZWGcdlx+h/kK64UwJaf7Tv+MEtJSqjfP8TTLKNrchaeVq3K2I4TRR0Hw/H2yeDakyn/5dx83XleDjA8DBmQmCsvq1ngq0a/h5HygtfouNwhffCtQtcdFbYLlIaAAx7AqfFX+YoXqsw4DSFHGUvCmi8GjdziAHUa42uwW5dWtAmBz27uru7HV+drj1qnhSbWIDeS8fe2DZ7QEQK8pzxVd0FnGu9LS6wrP+q3Ngap56V0NUjRabdBuDfxaMbh+igJt0tCcsL5NEo3VjpWYU650m1rBOYWPn8ES8/socQb0uQqdoxCxookhiDyhukaagKHBsAClhzu2CJOIZYUA==";
const EC_PKCS8: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgE8p1M0FGSh12Kdm5Lz+SML5Lt8j6c0+UMzT2J8s/qSShRANCAATMCSKqqb62Ee+8hfir9E/PhXnvXNLLYLwBTMsnx9que6Fryx8P/g3/fnVsBOBEOM3wlvvlkseoRfPn2egTZ0iP";
const EC_SPKI: &str = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEzAkiqqm+thHvvIX4q/RPz4V571zSy2C8AUzLJ8farnuha8sfD/4N/351bATgRDjN8Jb75ZLHqEXz59noE2dIjw==";
const ED_PKCS8: &str = "MC4CAQAwBQYDK2VwBCIEIJJxYtVuJR0aQgbe7WYk6cDZiIzBSOfUxjgb9mFdMH0P";
