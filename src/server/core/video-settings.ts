import { z } from 'zod';

/** A browser queries every server in the list, so a few are enough. */
const MAX_SERVERS = 8;
/** `host`, `host:port`, `[address]:port`: no credentials, no path. */
const HOST_AND_PORT = String.raw`(?:[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?`;
/** RFC 7064. */
const STUN = new RegExp(`^stuns?:${HOST_AND_PORT}$`, 'i');
/** RFC 7065. */
const TURN = new RegExp(`^turns?:${HOST_AND_PORT}(?:\\?transport=(?:udp|tcp))?$`, 'i');

const portOf = (address: string): number => Number(/:(\d+)(?:\?|$)/.exec(address)?.[1] ?? 1);

/** Comma-separated addresses; an empty setting is an empty list. */
const addresses = (form: RegExp, example: string) =>
  z
    .string()
    .default('')
    .transform((value, ctx) => {
      const all = value
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean);
      const wrong = all.find((one) => !form.test(one) || portOf(one) < 1 || portOf(one) > 65_535);
      if (wrong !== undefined)
        ctx.addIssue({ code: 'custom', message: `${wrong} is not an address such as ${example}` });
      if (all.length > MAX_SERVERS) ctx.addIssue({ code: 'custom', message: `at most ${MAX_SERVERS} addresses` });
      return all;
    });

export const VideoSettings = {
  VIDEO_STUN_URLS: addresses(STUN, 'stun:turn.example.org:3478'),
  VIDEO_TURN_URLS: addresses(TURN, 'turn:turn.example.org:3478?transport=udp'),
  VIDEO_TURN_SECRET: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.string().min(24, 'must be at least 24 characters').optional(),
  ),
};
type Read = { VIDEO_STUN_URLS: string[]; VIDEO_TURN_URLS: string[]; VIDEO_TURN_SECRET?: string | undefined };

export type VideoConfig = {
  /** STUN servers: they return the browser's public address. */
  stunUrls: string[];
  /** TURN servers relay media between browsers that cannot connect directly; `secret` signs their credentials. */
  turn: { urls: string[]; secret: string } | null;
};

export const videoErrors = (s: Read): string[] =>
  s.VIDEO_TURN_URLS.length > 0 === (s.VIDEO_TURN_SECRET !== undefined)
    ? []
    : ['VIDEO_TURN_URLS and VIDEO_TURN_SECRET must be set together.'];

export const videoOf = (s: Read): VideoConfig => ({
  stunUrls: s.VIDEO_STUN_URLS,
  turn: s.VIDEO_TURN_SECRET ? { urls: s.VIDEO_TURN_URLS, secret: s.VIDEO_TURN_SECRET } : null,
});
