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
