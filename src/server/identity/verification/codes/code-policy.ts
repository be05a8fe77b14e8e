import { SECOND } from '#server/core/clock.ts';

/**
 * Limits on sending codes: the only table of them. A used code no longer counts. The guide "Sign-in by phone", the
 * SDK's README and PROTOCOL.md quote this table; `code-policy.db.test.ts` compares them with the service's behaviour.
 */
export const CODE_POLICY = {
  /** Length of a code. */
  digits: 6,
  /** A known device of the account, for one address. Requests of other devices never count against it. */
  knownDevice: { firstWait: 30 * SECOND, laterWait: 60 * SECOND, perDay: 30 },
  /** One unknown source (an IPv4 address or an IPv6 /64), for one address. The wait doubles with each code. */
  unknownSource: { firstWait: 30 * SECOND, growth: 2, perDay: 10 },
  /**
   * All unknown sources together, for one address. Requests beyond `perDay` are not rejected: each needs a proof of
   * work (at first about a second in a browser), and of several unused text messages to one source only the first is
   * sent. These codes have `digits` digits: each source has its own code and attempts, so an attacker with many sources
   * could guess a shorter one.
   */
  allUnknownSources: { perDay: 20, digits: 10, leastBits: 18, moreBitsEvery: 10, mostBits: 22 },
  /** Attempts at the code of one message, for all requests that it stands for. */
  attemptsPerMessage: 5,
  /**
   * Limits of one clinic per hour: requests of one unknown source, and messages sent. Text messages cost money, so they
   * are limited per exchange (`prefix`) and in total. Emails have no limit per domain, because half of all people share
   * one.
   */
  clinicPerHour: { source: 100, prefix: 300, texts: 3000, mails: 3000 },
  /** Limits of the whole service per hour, over all clinics. */
  servicePerHour: { source: 300, prefix: 1000, texts: 20_000, mails: 20_000 },
  /** Share of the hourly sends that unknown devices may use; the rest is reserved for known devices. */
  shareOfUnknown: 0.8,
} as const;
