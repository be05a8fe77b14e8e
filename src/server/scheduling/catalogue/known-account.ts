import type { SchedulingConnection } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Context } from '#server/core/context.ts';

/** The account at the scheduling provider as last read. `calendarIds`: null while they are unknown. */
export type KnownAccount = {
  connection: SchedulingConnection;
  accountId: string | null;
  calendarIds: number[] | null;
};

/** Returns the stored state of the account, in one statement and without a provider call. */
export async function readKnownAccount({ db, tenantId }: Pick<Context, 'db' | 'tenantId'>): Promise<KnownAccount> {
  const [row] = await db.$queryRaw<{ status: string; accountId: string | null; calendarIds: number[] | null }[]>`
    select i.status, i.account_id as "accountId",
      case when s.data is not null then array(
        select (c->>'id')::int from jsonb_array_elements(s.data->'calendars') c) end as "calendarIds"
    from integrations i
    left join provider_snapshots s on s.tenant_id = i.tenant_id and s.provider = i.provider and s.kind = 'offerings'
    where i.tenant_id = ${tenantId}::uuid and i.provider = ${SCHEDULING_PROVIDER.id}`;
  if (!row) return { connection: 'never_connected', accountId: null, calendarIds: null };
  const { status, accountId, calendarIds } = row;
  return { connection: status === 'disconnected' ? 'disconnected' : 'connected', accountId, calendarIds };
}
