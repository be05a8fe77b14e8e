import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditBench, withAuditLog } from '#dev/testing/audit-log.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { testServices } from '#dev/testing/services.ts';
import { listAuditHeads, parseAuditHead } from '#server/audit/audit-heads.ts';
import { sealAudit } from '#server/audit/seal-audit.ts';
import { verifyAudit } from '#server/audit/verify-audit.ts';
import { createLog } from '#server/core/log.ts';
import { maintainLogs } from './maintain-logs.ts';

let bench: AuditBench;
beforeAll(async () => {
  bench = await withAuditLog(await withClinic());
});
afterAll(() => bench?.stop());

const monthsAgo = (months: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15)).toISOString();
};
const months = async (log: string): Promise<number> =>
  (await bench.owner.query('select count(*)::int - 1 as n from pg_inherits where inhparent = $1::regclass', [log]))
    .rows[0].n;

test('drops partitions older than the settings, and creates and logs missing ones', async () => {
  const ctx = bench.tenant();
  for (const old of [80, 71, 14]) await bench.noteAt(ctx, monthsAgo(old), 2);
  await sealAudit(bench.services);
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  await maintainLogs({ ...bench.services, log });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, rows: 6 },
    { level: 30, log: 'audit_entries', months: 1 },
  ]);
  expect(await ctx.db.auditEntry.count()).toBe(5);
  expect(await ctx.db.auditSeal.count()).toBe(4);
  expect(await verifyAudit(bench.services, ctx.tenantId)).toMatchObject({ from: 2n, checked: 5, faults: [] });
  const before = await months('audit_entries');
  await maintainLogs(bench.services);
  expect(await months('audit_entries')).toBe(before);

  const shorter = testServices(bench.database, { AUDIT_RETENTION_YEARS: '1', EVENTS_RETENTION_DAYS: '30' });
  await maintainLogs(shorter);
  await shorter.close();
  expect(await ctx.db.auditEntry.count({ where: { action: 'patients.get' } })).toBe(0);
  expect(await verifyAudit(bench.services, ctx.tenantId)).toMatchObject({ from: 6n, faults: [] });
});

test('appends the chain heads to a file and emails them, without personal data', async () => {
  const ctx = await bench.clinic();
  await bench.note(ctx, 3);
  await sealAudit(bench.services);
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _, done) => {
      let mail = '';
      stream.on('data', (chunk: Buffer) => (mail += chunk)).on('end', () => done(void mails.push(mail) as undefined));
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dir = await mkdtemp(path.join(tmpdir(), 'carelane-heads-'));
  const file = path.join(dir, 'heads');
  const { port } = server.server.address() as { port: number };
  const services = testServices(bench.database, {
    AUDIT_HEAD_FILE: file,
    AUDIT_HEAD_MAIL: 'heads@example.test',
    SMTP_URL: `smtp://127.0.0.1:${port}`,
  });
  try {
    const [head] = await listAuditHeads(services, ctx.tenantId);
    await maintainLogs(services);
    await maintainLogs(services);
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    expect(lines.map(parseAuditHead)).toEqual([head, head]);
    expect(mails).toHaveLength(2);
    expect(mails[0]).toContain('To: heads@example.test');
    expect(mails[0]!.replaceAll('=\r\n', '')).toContain(`${head!.position}:${head!.hash}`);
    expect(mails[0]).not.toContain('Riverbend');
  } finally {
    await services.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    await rm(dir, { recursive: true });
  }
});

test('fails the job when the file cannot be written, after all other steps', async () => {
  const ctx = bench.tenant();
  await bench.noteAt(ctx, monthsAgo(90));
  await sealAudit(bench.services);
  const services = testServices(bench.database, { AUDIT_HEAD_FILE: '/missing/heads' });
  await expect(maintainLogs(services)).rejects.toThrow('ENOENT');
  await services.close();
  expect(await ctx.db.auditEntry.count({ where: { action: 'patients.get' } })).toBe(0);
});
