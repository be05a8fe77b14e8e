import { DAY, HOUR, MINUTE, SECOND } from './clock.ts';

/**
 * The limits on requests and attempts: `RATE_LIMITS` in fixed windows (`rate-limiter.ts`), `FAILURE_POLICY` and
 * `CODE_POLICY` counted exactly, in PostgreSQL before the work. `security.md` quotes them; `rate-limits.test.ts`
 * compares. Rows named `wrong_…` and `rejected_…` count only such attempts: after the failure, or before it with an
 * uncount.
 */
export type RateLimit = {
  /** What is limited. */
  entrance: string;
  /** What the requests that count together have in common. */
  key: string;
  /** Requests in a window, or a multiple of `RATE_LIMIT_PER_MINUTE`. */
  limit: number | { timesConfigured: number };
  window: typeof MINUTE | typeof HOUR;
  /** What a rejected caller sees. `wait` is such as "12 seconds". */
  detail: (wait: string) => string;
};

const tooManyRequests = (wait: string) => `Too many requests; try again in ${wait}.`;
const tooManyTries = (wait: string) => `Too many tries; wait ${wait} and try again.`;
const tooManyWrongTries = (wait: string) => `Too many wrong tries; try again in ${wait}.`;
const tooManyCodes = (wait: string) => `Too many codes are asked for at the moment; try again in ${wait}.`;
const askTheClinic = () => 'Too many tries; ask the clinic, or try again later.';

const perMinute = (entrance: string, key: string, limit: RateLimit['limit'], detail = tooManyTries): RateLimit => ({
  ...{ entrance, key, limit, detail },
  window: MINUTE,
});
const perHour = (entrance: string, key: string, limit: number, detail: RateLimit['detail']): RateLimit => ({
  ...{ entrance, key, limit, detail },
  window: HOUR,
});

/** A source is an IPv4 address or the /64 of an IPv6 address. Many people share one: a clinic's, a mobile operator's. */
export const RATE_LIMITS = {
  rest_requests: perMinute('REST requests', 'credential', { timesConfigured: 1 }, tooManyRequests),
  source_requests: perMinute(
    'Requests to all handlers in `src/server/http/` except webhooks, health and redirects',
    'source',
    { timesConfigured: 4 },
    tooManyRequests,
  ),
  link_requests: perMinute('Requests of link pages (`/api/links`)', 'source', 600, tooManyRequests),
  unsubscribe_requests: perMinute('One-click unsubscribe', 'source', 600, tooManyRequests),
  /** Calendar programs poll a few times an hour. */
  calendar_feed_requests: perMinute('Calendar feed', 'source', 120, tooManyRequests),
  /** Each request costs a tenant's client and a signature check. */
  rejected_webhooks: perMinute('Webhook requests that are not accepted', 'source', 300, tooManyRequests),

  srp_starts: perMinute('First SRP steps', 'tenant and source', 300),
  password_proofs: perMinute('Proofs by password', 'tenant and source', 300),
  /** Invented tokens name invented tenants, and each tenant costs a database client. */
  steps: perMinute('Steps with a challenge, handshake or continuation', 'source', 600),
  /** Each new password costs several scrypt runs. */
  new_passwords: perMinute(
    'New passwords',
    'tenant and source; sign-ups and verified callers are counted separately',
    20,
  ),
  phone_sign_ups: perMinute('Sign-ups by phone', 'tenant and source', 30),

  codes_from_source: perHour('Code requests of an unknown source', 'tenant and source', 100, tooManyCodes),
  codes_from_source_anywhere: perHour(
    'Code requests of an unknown source, at all tenants',
    'source',
    300,
    tooManyCodes,
  ),
  /** Texts cost money. */
  texts_to_exchange: perHour(
    'Texts with codes to one exchange (first 8 characters of the number)',
    'tenant and exchange',
    300,
    tooManyCodes,
  ),
  texts_to_exchange_anywhere: perHour(
    'Texts with codes to one exchange, of all tenants',
    'exchange',
    1000,
    tooManyCodes,
  ),
  texts: perHour('Texts with codes', 'tenant', 3000, tooManyCodes),
  texts_anywhere: perHour('Texts with codes of all tenants', 'deployment', 20_000, tooManyCodes),
  /** Without a limit per domain, because half of all people share one. */
  mails: perHour('Emails with codes', 'tenant', 3000, tooManyCodes),
  mails_anywhere: perHour('Emails with codes of all tenants', 'deployment', 20_000, tooManyCodes),

  /** Each attempt costs a full password check. */
  wrong_staff_sign_ins: perMinute('Wrong sign-ins of staff', 'source', 120),
  staff_resets: perMinute('Password reset requests of staff', 'source', 20),
  /** These only protect the CPU: a client secret cannot be guessed, and the right one is never rejected. */
  wrong_client_secrets: perMinute('Wrong client secrets', 'client id and source', 20, tooManyWrongTries),
  wrong_client_secrets_from_source: perMinute('Wrong client secrets of all clients', 'source', 120, tooManyWrongTries),

  wrong_promotion_codes: perMinute('Wrong promotion codes of a patient', 'patient', 10),
  /** An application calls for many patients. */
  wrong_promotion_codes_for_patients: perMinute('Wrong promotion codes of staff and applications', 'credential', 100),
  wrong_promotion_codes_of_link: perMinute('Wrong promotion codes on the payment page', 'link', 10),
  wrong_promotion_codes_from_source: perMinute('Wrong promotion codes on all payment pages', 'source', 20),

  /** Per link: a patient who is locked out by another client's attempts gets a new link from the clinic. */
  wrong_birth_dates: perHour('Wrong dates of birth at a visit link', 'link', 8, askTheClinic),
  /** Allows repeated tests while a patient fixes a problem, and limits the issue of relay credentials. */
  visit_tests: perMinute('Visit tests opened', 'link', 10),
  visit_test_pieces: perMinute('Pieces of the line test', 'link', 80),
  visit_test_reports: perMinute('Visit tests reported', 'link', 10),
  /** A browser sends about thirty when it starts a call. */
  visit_signals: perMinute('Signals of a call', 'seat', 300),
  visit_reports: perMinute('Quality reports of a call', 'seat', 60),
  video_server_checks: perMinute('Checks of the STUN and TURN servers', 'tenant', 10),
} as const satisfies Record<string, RateLimit>;
export type RateLimitName = keyof typeof RATE_LIMITS;

/** Wrong passwords and wrong codes of an authenticator app. */
export const FAILURE_POLICY = {
  /** From this one on, n wrong attempts are followed by a wait of 2^(n − `waitFrom`) seconds. */
  waitFrom: 5,
  longestWait: 15 * MINUTE,
  /** Time without a wrong attempt after which counting starts again. */
  retention: DAY,
  /** NIST SP 800-63B-4 §3.2.2: number of wrong passwords in a row after which only known devices may try. */
  maxInRow: 100,
  /** A row without a wrong password for this long starts again; a lockout stays. */
  rowRetention: 7 * DAY,
  /** How often the owner is notified while attempts continue during a lockout. */
  notifyEvery: DAY,
  /** How long the owner may sign in from the source where the emailed link was opened. */
  approvedFor: HOUR,
} as const;

/** Pending sign-ups of one person and source: more within an hour are rejected, older ones are deleted. */
export const MAX_PENDING_SIGN_UPS = 10;

/**
 * Codes to one person. A used code no longer counts. The guide "Sign-in by phone", the SDK's README and PROTOCOL.md
 * quote this table; `code-policy.db.test.ts` compares them with the service's behaviour.
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
  /** Share of the hourly messages that unknown devices may use; the rest is reserved for known devices. */
  shareOfUnknown: 0.8,
} as const;
