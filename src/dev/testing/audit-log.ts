import pg from 'pg';
import { type Context, systemContext } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { insertAudit } from '#server/core/record.ts';
import { makeTenant } from './actors.ts';
import type { Clinic } from './clinic.ts';

/** Adds connections: the audit log can be written as the service does and tampered with as only the owner can. */
export async function withAuditLog({ database, services, ctx, stop }: Clinic) {
  const connect = async (url: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client;
  };
  const [owner, service, free] = await Promise.all([
    connect(database.ownerUrl),
    connect(database.url),
    connect(database.ownerUrl),
  ]);
  // This connection bypasses triggers and policies.
  await free.query('set session_replication_role = replica');
  return {
    database,
    services,
    ctx,
    owner,
    /** Connected with the service's role. */
    service,
    free,
    /** A tenant that has no row, only audit entries. */
    tenant: (): Context => systemContext(services, newId(), 'test'),
    /** Another tenant that has a row. */
    async clinic(): Promise<Context> {
      return systemContext(services, (await makeTenant(services, { name: 'Riverbend Clinic' })).id, 'test');
    },
    /** Writes entries one after the other and returns their ids. */
    async note(ctx: Context, count: number): Promise<string[]> {
      const already = await idsOf(ctx);
      for (let n = 0; n < count; n += 1)
        await ctx.db.$executeRaw(
          insertAudit(ctx, {
            action: 'patients.update',
            object: { type: 'Patient', id: newId() },
            details: { fields: ['email'], n },
          }),
        );
      return (await idsOf(ctx)).filter((id) => !already.includes(id));
    },
    /** Writes unsealed entries with another timestamp. */
    async noteAt(ctx: Context, at: string, count = 1): Promise<void> {
      await free.query(
        `with made as (
           insert into audit_entries (id, tenant_id, action, object_type, object_id, actor_type, actor_id, request_id, created_at)
           select gen_random_uuid(), $1, 'patients.get', 'Patient', n::text, 'System', 'test', 'test', $2
           from generate_series(1, $3::int) n returning tenant_id, position, id, created_at)
         insert into audit_unsealed select * from made`,
        [ctx.tenantId, at, count],
      );
    },
    async stop() {
      await Promise.all([owner.end(), service.end(), free.end()]);
      await stop();
    },
  };

  async function idsOf(ctx: Context): Promise<string[]> {
    return (await ctx.db.auditEntry.findMany({ orderBy: { position: 'asc' }, select: { id: true } })).map(
      ({ id }) => id,
    );
  }
}

export type AuditBench = Awaited<ReturnType<typeof withAuditLog>>;
