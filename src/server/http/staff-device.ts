import { DAY, SECOND } from '../core/clock.ts';
import type { Config } from '../core/config.ts';

/** As long as the service knows a device; each sign-in begins it anew. */
const LIFETIME = 90 * DAY;
/** A workstation that a whole ward signs in on; the newest first. */
const MOST = 8;
const SEPARATOR = '~';
const SECRET = /^[\w-]{1,40}\.[\w-]{1,80}$/;

export type StaffDevice = {
  /** By which the accounts that have signed in here know this browser. */
  secrets: string[];
  /** After a sign-in here. */
  keep(secret: string | null): void;
  /** The Set-Cookie that keeps them, after a sign-in; null otherwise. */
  readonly setCookie: string | null;
};

const isSecure = ({ publicUrl }: Config) => publicUrl.startsWith('https://');
/** No other host, nor a page without TLS, can put one in its place (RFC 6265bis §4.1.3.2). */
const cookieName = (config: Config) => `${isSecure(config) ? '__Host-' : ''}carelane-devices`;

/** The cookie by which the portal knows a browser; it outlives the session. */
export function openStaffDevice(config: Config, cookies: string | null): StaffDevice {
  const name = `${cookieName(config)}=`;
  const pair = (cookies ?? '').split(/; */).find((one) => one.startsWith(name));
  const secrets = (pair?.slice(name.length) ?? '').split(SEPARATOR).filter((secret) => SECRET.test(secret));
  let isKept = false;
  const device = {
    secrets: secrets.slice(0, MOST),
    keep(secret: string | null) {
      isKept = true;
      if (secret) device.secrets = [secret, ...device.secrets].slice(0, MOST);
    },
    get setCookie() {
      if (!isKept) return null;
      const secure = isSecure(config) ? '; Secure' : '';
      const value = device.secrets.join(SEPARATOR);
      return `${name}${value}; Path=/; Max-Age=${LIFETIME / SECOND}; HttpOnly; SameSite=Strict${secure}`;
    },
  };
  return device;
}
