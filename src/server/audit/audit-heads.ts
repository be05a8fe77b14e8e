import { appendFile } from 'node:fs/promises';
import type { Services } from '#server/core/context.ts';
import { NO_TENANT } from '#server/core/ids.ts';
import { sendMail } from '#server/providers/mail.ts';

/** The end of a tenant's chain. A copy stored elsewhere proves later that nothing before it was rewritten. */
type AuditHead = { tenantId: string; position: bigint; hash: string };

/** Returns the heads of all chains, or of one. A tenant without entries has none. */
export async function listAuditHeads(
  { database }: Pick<Services, 'database'>,
  onlyTenant?: string,
): Promise<AuditHead[]> {
  const heads: AuditHead[] = [];
  for (const tenantId of onlyTenant ? [onlyTenant] : await database.tenantsOf('tenants')) {
    const chain = await database.forTenant(tenantId).auditChain.findFirst({ where: { tenantId } });
    if (chain) heads.push({ tenantId, position: chain.position, hash: Buffer.from(chain.hash).toString('hex') });
  }
  return heads;
}

/** Formats a head as `{tenant} {position}:{hash}`; stored lines have a timestamp in front. */
export const formatAuditHead = ({ tenantId, position, hash }: AuditHead): string => `${tenantId} ${position}:${hash}`;

const LINE = /(?:^|\s)([0-9a-f-]{36}) (\d+):([0-9a-f]{64})$/;

/** Parses a line of `formatAuditHead`, with any prefix. */
export const parseAuditHead = (line: string): AuditHead | null => {
  const [, tenantId, position, hash] = LINE.exec(line.trim()) ?? [];
  return tenantId && position && hash ? { tenantId, position: BigInt(position), hash } : null;
};

/**
 * Stores the heads where the database owner cannot rewrite them: in a file or at an email address, by configuration.
 */
export async function storeAuditHeads(services: Services): Promise<void> {
  const { headFile, headMail } = services.config.logs;
  if (!headFile && !headMail) return;
  const at = services.clock.now().toISOString();
  const lines = (await listAuditHeads(services)).map((head) => `${at} ${formatAuditHead(head)}`);
  if (lines.length === 0) return;
  if (headFile) await appendFile(headFile, `${lines.join('\n')}\n`);
  if (headMail)
    await sendMail(services, {
      to: headMail,
      subject: `Where the audit log stood on ${at.slice(0, 10)}`,
      text: [
        `Keep this message. It lets anybody check later that nothing in the audit log of ${services.config.publicUrl}`,
        'was rewritten up to this moment: npm run audit:verify -- --expect-file FILE, with these lines in the file.',
        '',
        ...lines,
        '',
      ].join('\n'),
      // The email belongs to no tenant.
      stamp: { tenantId: NO_TENANT },
    });
}
