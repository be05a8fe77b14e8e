import { readFileSync } from 'node:fs';
import {
  type AuditFault,
  type AuditReport,
  formatAuditHead,
  listAuditHeads,
  parseAuditHead,
  type StoredHead,
  verifyAudit,
} from '#server/audit/index.ts';
import type { Services } from '#server/core/context.ts';
import { readOptions, withServices } from './command.ts';

const USAGE = `npm run audit:verify -- [--tenant ID] [--head] [--expect POSITION:HASH | --expect-file FILE]
  Checks each row of the audit log against its seal, on the database of the settings (.env or the environment), and
  names the first broken one of each clinic; the exit code is then 1.
  --tenant       one clinic only
  --head         prints the head of each chain and checks nothing; store it outside of the database
  --expect       a head that --head printed earlier for the clinic of --tenant: the chain must still contain it
  --expect-file  the same for every line of a file that AUDIT_HEAD_FILE or AUDIT_HEAD_MAIL has stored`;

const values = readOptions(
  {
    tenant: { type: 'string' },
    head: { type: 'boolean' },
    expect: { type: 'string' },
    'expect-file': { type: 'string' },
    help: { type: 'boolean' },
  },
  USAGE,
);

const PROBLEM_LABELS: Record<AuditFault['problem'], string> = {
  changed: 'was changed after it was sealed',
  removed: 'was removed',
  swapped: 'was swapped with',
  inserted: 'has no seal: it was inserted without the log',
  seal_missing: 'has lost its seal',
  end_missing: 'seals are missing from here to the end',
  other_end: 'the last seal is not the recorded end of the chain',
  other_checkpoint: 'the chain starts here, and no entry confirms that the earlier ones were dropped',
  not_as_kept: 'the chain does not contain the stored head: it was recreated, or rolled back',
};

function describeFault({ problem, position, entryId, otherId }: AuditFault): string {
  const where = [position === null ? [] : `position ${position}`, entryId === null ? [] : `entry ${entryId}`].flat();
  return `${where.join(', ')}: ${PROBLEM_LABELS[problem]}${otherId ? ` entry ${otherId}` : ''}`;
}

function print({ tenantId, checked, position, hash, from, faults }: AuditReport): void {
  const startNote = from > 0n ? `, from position ${from + 1n}, after dropped entries` : '';
  if (faults.length === 0)
    console.log(`${formatAuditHead({ tenantId, position, hash })} holds: ${checked} checked${startNote}`);
  else for (const fault of faults) console.log(`${tenantId} BROKEN at ${describeFault(fault)}`);
}

/** Reads the expected heads by tenant. Lines of the file that are older than the retained log are ignored. */
async function readExpectedHeads(services: Services): Promise<Map<string, StoredHead[]>> {
  const { tenant, expect, 'expect-file': file } = values;
  const expectedHeads = new Map<string, StoredHead[]>();
  if (expect !== undefined) {
    const head = tenant && parseAuditHead(`${tenant} ${expect}`);
    if (!head) throw new Error('--expect is POSITION:HASH as --head prints it, and needs --tenant.');
    expectedHeads.set(head.tenantId, [head]);
  }
  if (file !== undefined)
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
      const head = parseAuditHead(line);
      if (!head) throw new Error(`${file} has a line that is no head of a chain: ${line}`);
      const { tenantId } = head;
      const chain = await services.database.forTenant(tenantId).auditChain.findFirst({ where: { tenantId } });
      if (chain && head.position < chain.checkpointPosition) continue;
      expectedHeads.set(tenantId, [...(expectedHeads.get(tenantId) ?? []), head]);
    }
  return expectedHeads;
}

async function run(): Promise<void> {
  await withServices(async (services) => {
    await services.database.assertConfined();
    if (values.head) {
      for (const head of await listAuditHeads(services, values.tenant)) console.log(formatAuditHead(head));
      return;
    }
    const expectedHeads = await readExpectedHeads(services);
    // A tenant with an expected head is verified even if nothing else is left of it.
    const tenantIds = values.tenant
      ? [values.tenant]
      : [...(await services.database.tenantsOf('tenants')), ...expectedHeads.keys()];
    for (const tenantId of new Set(tenantIds)) {
      const report = await verifyAudit(services, tenantId, expectedHeads.get(tenantId));
      print(report);
      if (report.faults.length > 0) process.exitCode = 1;
    }
  });
}

if (values.help) console.log(USAGE);
else
  run().catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
