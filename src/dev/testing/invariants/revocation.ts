import type { Services } from '#server/core/context.ts';
import { authenticateBearer } from '#server/identity/sessions/authenticate-bearer.ts';

const GIVE_UP_MS = 3000;

export const isAccepted = (services: Services, token: string): Promise<boolean> =>
  authenticateBearer(services, `Bearer ${token}`).then(
    () => true,
    () => false,
  );

/**
 * K3: uses a token until it is rejected. `revokedAt` is a `performance.now()` timestamp. @returns how many milliseconds
 * after it the token was last accepted; Infinity if it never is rejected
 */
export async function lastAcceptedAfter(services: Services, token: string, revokedAt: number): Promise<number> {
  let last = 0;
  while (last < GIVE_UP_MS) {
    const sentAt = performance.now() - revokedAt;
    if (!(await isAccepted(services, token))) return last;
    last = sentAt;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return Number.POSITIVE_INFINITY;
}
