/**
 * Values as the engine stores and transfers them: as JSON, or encrypted with a key that only workers and clients have. The
 * same value has the same bytes each time, because the engine compares what a handler sends when it executes it again.
 */
import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { packValue, unpackValue } from '../interpreter/values/json.js';
import type { Json } from '../machine/expression.js';
import type { Delivery } from '../runtime/store/inbox.js';

export interface ValueCodec {
  readonly contentType: string;
  serialize(value: unknown): Uint8Array;
  /** Throws an `Error` with a message for a person. */
  deserialize(bytes: Uint8Array): unknown;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';
/** The only member of an encrypted value. */
const SEALED = '$sealed';
export const KEY_VARIABLE = 'STATEDSL_ENGINE_KEY';
/** What clients and workers send to the proxy in front of an engine. */
export const TOKEN_VARIABLE = 'STATEDSL_ENGINE_TOKEN';

/** `key`: 32 bytes as base64; null: values are not encrypted. Throws an `Error` for another key. */
export function valueCodec(key: string | null): ValueCodec {
  if (key === null || key === '') return plainValues;
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== KEY_BYTES || !/^[A-Za-z0-9+/_-]+=*$/.test(key))
    throw new Error(`\`${KEY_VARIABLE}\` must be ${KEY_BYTES} bytes in base64`);
  return sealedValues(bytes);
}

const plainValues: ValueCodec = {
  contentType: 'application/json',
  serialize: (value) => (value === undefined ? new Uint8Array(0) : Buffer.from(JSON.stringify(value))),
  deserialize(bytes) {
    if (bytes.length === 0) return undefined;
    const value = JSON.parse(textOf(bytes)) as unknown;
    if (sealedIn(value) !== null)
      throw new Error(`a value is encrypted, and there is no \`${KEY_VARIABLE}\` to read it`);
    return value;
  },
};

function sealedValues(key: Buffer): ValueCodec {
  const nonceKey = createHmac('sha256', key).update('nonce').digest();
  return {
    contentType: 'application/json',
    serialize(value) {
      if (value === undefined) return new Uint8Array(0);
      const plain = Buffer.from(JSON.stringify(value));
      // A nonce that follows from the value is never used for two values.
      const nonce = createHmac('sha256', nonceKey).update(plain).digest().subarray(0, NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce);
      const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      return Buffer.from(JSON.stringify({ [SEALED]: sealed.toString('base64') }));
    },
    deserialize(bytes) {
      if (bytes.length === 0) return undefined;
      const text = sealedIn(JSON.parse(textOf(bytes)));
      if (text === null) throw new Error(`a value is not encrypted, and \`${KEY_VARIABLE}\` is required`);
      const sealed = Buffer.from(text, 'base64');
      try {
        const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES));
        decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
        const plain = [decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
        return JSON.parse(Buffer.concat(plain).toString());
      } catch {
        throw new Error(`the values were encrypted with another key than the \`${KEY_VARIABLE}\` of this process`);
      }
    },
  };
}

/** A name of which nobody without the key learns anything; without a key, its digest. The same each time. */
export function hiddenName(name: string, key: string | null): string {
  const nameKey = (bytes: Buffer): Buffer => createHmac('sha256', bytes).update('name').digest();
  const hash =
    key === null || key === '' ? createHash('sha256') : createHmac('sha256', nameKey(Buffer.from(key, 'base64')));
  return hash.update(name).digest('hex').slice(0, 32);
}

/** Null: the value is not encrypted. */
function sealedIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { [SEALED]: text } = value as Record<string, unknown>;
  return typeof text === 'string' && Object.keys(value).length === 1 ? text : null;
}

/** Bytes of UTF-8 as text, without a copy of them. */
function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}

/** A delivery as JSON for the engine, in which numbers keep how they were written. */
export function packDelivery(delivery: Delivery): Delivery {
  return convertDelivery(delivery, packValue);
}

/** Reverses `packDelivery`. */
export function unpackDelivery(delivery: Delivery): Delivery {
  return convertDelivery(delivery, unpackValue);
}

function convertDelivery(delivery: Delivery, convert: (value: Json) => Json): Delivery {
  if (delivery.kind === 'signal') return { ...delivery, payload: convert(delivery.payload) };
  return delivery.kind === 'answer' || delivery.kind === 'refused'
    ? { ...delivery, value: convert(delivery.value) }
    : delivery;
}
