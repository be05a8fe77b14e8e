import { SECOND } from '#server/core/clock.ts';

/**
 * How many codes are sent, and when: the one table of all limits on codes. A code that was used counts no more. The guide
 * "Sign-in by phone", the SDK's README and its PROTOCOL.md quote this table; `code-policy.db.test.ts` compares them with
 * what the service does.
 */
export const CODE_POLICY = {
  /** Length of a code. */
  digits: 6,
  /** A device that is known to the account, for one address. Requests of other devices never count against it. */
  knownDevice: { firstWait: 30 * SECOND, laterWait: 60 * SECOND, perDay: 30 },
  /** One unknown source (an IPv4 address, the /64 of an IPv6 one), for one address. The wait doubles with each code. */
  unknownSource: { firstWait: 30 * SECOND, growth: 2, perDay: 10 },
  /**
   * All unknown sources together, for one address. Beyond `perDay` nobody is refused: each code costs a proof of work, of
   * about a second in a browser at first, and of the texts to one source that nobody used only the first is sent. These codes
   * have `digits` digits: each source has its own code and tries, so an attacker with many sources could guess a shorter one.
   */
  allUnknownSources: { perDay: 20, digits: 10, leastBits: 18, moreBitsEvery: 10, mostBits: 22 },
  /** Tries at the code of one message, however many requests it stands for. */
  triesPerMessage: 5,
  /**
   * An hour of one clinic: the requests of one unknown source, and what is really sent. Texts cost money, to one exchange of
   * an area and in all; mails do not, and half of all people share a mail domain, so that domains are not counted.
   */
  clinicPerHour: { source: 100, prefix: 300, texts: 3000, mails: 3000 },
  /** An hour of the whole service, for all clinics together. */
  servicePerHour: { source: 300, prefix: 1000, texts: 20_000, mails: 20_000 },
  /** Of what a clinic or the service sends in an hour; the rest is reserved for known devices. */
  shareOfUnknown: 0.8,
} as const;
