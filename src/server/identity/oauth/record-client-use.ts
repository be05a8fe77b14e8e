import { MINUTE } from '../../core/clock.ts';
import type { Services } from '../../core/context.ts';
import type { ClientState } from '../tokens/client-state.ts';

const MAX_REMEMBERED = 20_000;

/** Records when a client and its secret were last used, at most once a minute and without delaying the request. */
export function recordClientUse(
  services: Services,
  { id, tenantId }: Pick<ClientState, 'id' | 'tenantId'>,
  secretId?: string,
): void {
  const key = secretId ?? id;
  const { at: recordedAt, writing } = services.identity.uses;
  const now = services.clock.now();
  if (now.getTime() - (recordedAt.get(key) ?? 0) < MINUTE) return;
  if (recordedAt.size >= MAX_REMEMBERED) recordedAt.clear();
  recordedAt.set(key, now.getTime());
  const write = services.database
    .forTenant(tenantId)
    .application.update({
      where: { id },
      data: {
        lastUsedAt: now,
        ...(secretId && { secrets: { updateMany: { where: { id: secretId }, data: { lastUsedAt: now } } } }),
      },
      select: { id: true },
    })
    .then(
      () => {},
      (error: Error) => services.log.warn({ err: error.message }, 'the last use of a client was not recorded'),
    )
    .finally(() => writing.delete(write));
  writing.add(write);
}
