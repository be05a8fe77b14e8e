/** The event of a request that got no response from the service: the connection is checked. */
export const NO_RESPONSE = 'carelane:no-response';

export const reportNoResponse = (): boolean => window.dispatchEvent(new Event(NO_RESPONSE));

const GATEWAY_ERRORS = [502, 503, 504];
const TIMEOUT_MS = 5_000;

/** Whether a proxy responded because it does not reach the service. The service's own errors are JSON. */
export const isGatewayError = ({ status, headers }: Response): boolean =>
  GATEWAY_ERRORS.includes(status) && !headers.get('content-type')?.startsWith('application/json');

/** Whether the service can be reached. Needs no session, and does not extend one. */
export async function canReachServer(): Promise<boolean> {
  try {
    const { status } = await fetch('/api/health', { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
    return !GATEWAY_ERRORS.includes(status);
  } catch {
    return false;
  }
}

const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;

/** Waits until the service can be reached. Asks by itself, so that it waits for no event that may never come. */
export async function untilReached(): Promise<void> {
  for (let pauseMs = MIN_PAUSE_MS; !(await canReachServer()); pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    reportNoResponse();
    await pauseOrOnline(pauseMs);
  }
}

const pauseOrOnline = (ms: number) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener('online', done);
  });
