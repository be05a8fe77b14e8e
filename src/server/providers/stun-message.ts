import { createHash, createHmac, randomBytes } from 'node:crypto';
import ipaddr from 'ipaddr.js';

/** Request methods (RFC 8489 §18.2, RFC 8656 §17). */
const METHODS = { binding: 0x001, allocate: 0x003, refresh: 0x004, permission: 0x008 } as const;
type Method = keyof typeof METHODS;
const COOKIE = 0x2112a442;
export const HEADER_BYTES = 20;
const SUCCESS = 0x0100;
const ERROR_RESPONSE = 0x0110;
const INTEGRITY_BYTES = 24;

const ATTRIBUTES = {
  username: 0x0006,
  integrity: 0x0008,
  error: 0x0009,
  lifetime: 0x000d,
  peer: 0x0012,
  realm: 0x0014,
  nonce: 0x0015,
  relayed: 0x0016,
  family: 0x0017,
  transport: 0x0019,
  mapped: 0x0020,
} as const;
type Attribute = keyof typeof ATTRIBUTES;
export type Attributes = Partial<Record<Attribute, Buffer>>;

export type StunResponse = {
  isSuccess: boolean;
  errorCode: number | null;
  attributes: Attributes;
  /** The request's transaction id, which masks IPv6 addresses. */
  transaction: Buffer;
};
/** The credentials for the server's realm and nonce (long-term credential, RFC 8489 §9.2). */
export type Credentials = { username: string; password: string; realm: Buffer; nonce: Buffer };

/** Requests a relay over UDP. */
export const UDP_TRANSPORT = Buffer.from([17, 0, 0, 0]);
export const encodeSeconds = (count: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(count);
  return bytes;
};

const FAMILIES = { ipv4: 1, ipv6: 2 };
/** Requests a relay address of IPv6; the default is IPv4. */
export const IPV6_WANTED = Buffer.from([FAMILIES.ipv6, 0, 0, 0]);

/** The id that matches a response to its request. */
export const newTransaction = (): Buffer => randomBytes(12);

/** Encodes a peer's address and port, XORed against NATs that rewrite addresses. */
export function encodePeer(address: string, port: number, transaction: Buffer): Buffer {
  const ip = ipaddr.parse(address);
  const bytes = Buffer.from([0, FAMILIES[ip.kind()], 0, 0, ...ip.toByteArray()]);
  bytes.writeUInt16BE(port, 2);
  return hide(bytes, transaction);
}

/** Returns `address:port` of an XOR attribute; null if it is invalid. */
export function decodeAddress(hidden: Buffer | undefined, transaction: Buffer): string | null {
  const length = hidden?.[1] === FAMILIES.ipv4 ? 8 : hidden?.[1] === FAMILIES.ipv6 ? 20 : null;
  if (hidden?.length !== length) return null;
  const bytes = hide(hidden, transaction);
  const ip = ipaddr.fromByteArray([...bytes.subarray(4)]);
  return `${ip.kind() === 'ipv6' ? `[${ip}]` : ip}:${bytes.readUInt16BE(2)}`;
}

function hide(bytes: Buffer, transaction: Buffer): Buffer {
  const by = Buffer.alloc(4);
  by.writeUInt32BE(COOKIE);
  const mask = Buffer.concat([Buffer.alloc(2), by.subarray(0, 2), by, transaction]);
  return Buffer.from(bytes.map((byte, at) => byte ^ (mask[at] ?? 0)));
}

function attribute(type: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, value, Buffer.alloc(-value.length & 3)]);
}

/** Encodes a request, signed if there are credentials. */
export function request(
  method: Method,
  attributes: Attributes,
  by: Credentials | null,
  transaction = newTransaction(),
): Buffer {
  const all = { ...attributes, ...(by && { username: Buffer.from(by.username), realm: by.realm, nonce: by.nonce }) };
  const body = Buffer.concat(
    Object.entries(all).map(([name, value]) => attribute(ATTRIBUTES[name as Attribute], value)),
  );
  const head = Buffer.alloc(8);
  head.writeUInt16BE(METHODS[method]);
  // The signed length includes the signature.
  head.writeUInt16BE(body.length + (by ? INTEGRITY_BYTES : 0), 2);
  head.writeUInt32BE(COOKIE, 4);
  const message = Buffer.concat([head, transaction, body]);
  if (!by) return message;
  // The protocol requires these hashes.
  const key = createHash('md5').update(`${by.username}:${by.realm}:${by.password}`).digest();
  const signature = createHmac('sha1', key).update(message).digest();
  return Buffer.concat([message, attribute(ATTRIBUTES.integrity, signature)]);
}

/** @returns the server's response to this request; null for anything else, such as a late response to another one */
export function parseResponse(sent: Buffer, bytes: Buffer): StunResponse | null {
  if (bytes.length < HEADER_BYTES || bytes.readUInt16BE(2) !== bytes.length - HEADER_BYTES) return null;
  if (!bytes.subarray(4, HEADER_BYTES).equals(sent.subarray(4, HEADER_BYTES))) return null;
  const method = sent.readUInt16BE(0);
  const type = bytes.readUInt16BE(0);
  if (type !== (method | SUCCESS) && type !== (method | ERROR_RESPONSE)) return null;
  const names = new Map(Object.entries(ATTRIBUTES).map(([name, number]) => [number as number, name as Attribute]));
  const attributes: Attributes = {};
  for (let at = HEADER_BYTES; at + 4 <= bytes.length; ) {
    const length = bytes.readUInt16BE(at + 2);
    if (at + 4 + length > bytes.length) return null;
    const name = names.get(bytes.readUInt16BE(at));
    if (name) attributes[name] ??= bytes.subarray(at + 4, at + 4 + length);
    at += 4 + length + (-length & 3);
  }
  const { error } = attributes;
  const errorCode = error && error.length >= 4 ? 100 * (error.readUInt8(2) & 7) + error.readUInt8(3) : null;
  return {
    isSuccess: type === (method | SUCCESS),
    errorCode,
    attributes,
    transaction: sent.subarray(8, HEADER_BYTES),
  };
}
