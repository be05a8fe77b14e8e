import { DAY, SECOND } from '../core/clock.ts';
import type { Config } from '../core/config.ts';

/** The lifetime of a known device; each sign-in restarts it. */
const LIFETIME = 90 * DAY;
/** Several staff may share a workstation; the newest come first. */
const MAX_SECRETS = 8;
const SEPARATOR = '~';
const SECRET = /^[\w-]{1,40}\.[\w-]{1,80}$/;

export type StaffDevice = {
  /** The device secrets of the accounts that have signed in with this browser. */
  secrets: string[];
  /** Adds a secret after a sign-in. */
  addSecret(secret: string | null): void;
  /** The Set-Cookie header after a sign-in; null otherwise. */
  readonly setCookie: string | null;
};

const isSecure = ({ publicUrl }: Config) => publicUrl.startsWith('https://');
/** Neither another host nor a page without TLS can set this cookie (RFC 6265bis §4.1.3.2). */
const cookieName = (config: Config) => `${isSecure(config) ? '__Host-' : ''}carelane-devices`;

/** Reads the cookie that identifies a browser to the portal; it outlives the session. */
export function openStaffDevice(config: Config, cookies: string | null): StaffDevice {
  const name = `${cookieName(config)}=`;
  const pair = (cookies ?? '').split(/; */).find((cookie) => cookie.startsWith(name));
  const secrets = (pair?.slice(name.length) ?? '').split(SEPARATOR).filter((secret) => SECRET.test(secret));
  let isSignedIn = false;
  const device = {
    secrets: secrets.slice(0, MAX_SECRETS),
    addSecret(secret: string | null) {
      isSignedIn = true;
      if (secret) device.secrets = [secret, ...device.secrets].slice(0, MAX_SECRETS);
    },
    get setCookie() {
      if (!isSignedIn) return null;
      const secure = isSecure(config) ? '; Secure' : '';
      const value = device.secrets.join(SEPARATOR);
      return `${name}${value}; Path=/; Max-Age=${LIFETIME / SECOND}; HttpOnly; SameSite=Strict${secure}`;
    },
  };
  return device;
}
