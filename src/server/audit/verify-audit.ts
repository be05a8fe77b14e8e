import type { AUDIT_PROBLEMS } from '#contract/audit.ts';
import { DAY } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { sealTenant } from './seal-audit.ts';

/** A fault of a chain and its position. `position` counts along the chain; a row without a seal has none. */
export type AuditFault = {
  problem: (typeof AUDIT_PROBLEMS)[number];
  position: bigint | null;
  entryId: string | null;
  /** The entry that it was swapped with. */
  otherId?: string;
};

/** A head as stored outside of the database. */
export type StoredHead = { position: bigint; hash: string };

export type AuditReport = {
  tenantId: string;
  /** Number of seals checked against their rows. */
  checked: number;
  /** Last position of the chain. */
  position: bigint;
  hash: string;
  /** Expired entries up to this position were dropped, so the check starts after it. */
  from: bigint;
  /** Ordered, the first broken row first; empty when the chain is intact. */
  faults: AuditFault[];
};

type OnPage = (checked: number, total: number) => Promise<void>;
type Link = { position: bigint; hash: Uint8Array };
type Chain = Link & { from: bigint; fromHash: Uint8Array; isCheckpointConfirmed: boolean };
type Broken = {
  problem: 'gap' | 'removed' | 'changed';
  position: bigint;
  previous: Uint8Array;
  hash: Uint8Array;
  entryId: string;
};

/** A row without a seal; its position in the log is independent of any seal. */
type Unsealed = { entryId: string; logPosition: bigint };

/** Seals per statement; the result is one row. */
const PAGE = 5000;
const EMPTY = new Uint8Array();
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/**
 * Verifies a tenant's chain from its checkpoint to its end, each row against its seal, and finds rows without a seal.
 * Reads one snapshot, a page at a time.
 *
 * @param storedHeads stored heads, which detect a chain that was recreated with the owner's rights
 * @param onPage receives the progress
 */
export async function verifyAudit(
  services: Pick<Services, 'database' | 'log'>,
  tenantId: string,
  storedHeads: StoredHead[] = [],
  onPage: OnPage = async () => {},
): Promise<AuditReport> {
  try {
    while ((await sealTenant(services, tenantId)) > 0);
  } catch (error) {
    services.log.warn(
      { tenantId, err: (error as Error).message },
      'the unsealed entries of the chain could not be sealed before the check',
    );
  }
  return services.database.forTenant(tenantId).$transaction((tx) => verifyIn(tx, tenantId, storedHeads, onPage), {
    isolationLevel: 'RepeatableRead',
    timeout: DAY,
  });
}

async function verifyIn(tx: Tx, tenantId: string, storedHeads: StoredHead[], onPage: OnPage): Promise<AuditReport> {
  const chain = await readChain(tx, tenantId);
  const { end, checked, broken } = await checkSeals(tx, chain, onPage);
  const unsealed = await findUnsealed(tx, tenantId);
  const faults: AuditFault[] = [];
  const [first, second] = broken;
  if (first) faults.push(await faultOf(tx, tenantId, { first, second, unsealed }));
  const isShort = end.position < chain.position;
  if (isShort) faults.push({ problem: 'end_missing', position: end.position + 1n, entryId: unsealed?.entryId ?? null });
  else if (end.position !== chain.position || hexOf(end.hash) !== hexOf(chain.hash))
    faults.push({ problem: 'other_end', position: end.position, entryId: null });
  if (unsealed && first?.problem !== 'gap' && !isShort) {
    const fault: AuditFault = { problem: 'inserted', position: null, entryId: unsealed.entryId };
    // The fault at the earlier position in the log comes first.
    if (first && unsealed.logPosition < (await logPositionOf(tx, tenantId, first.position))) faults.unshift(fault);
    else faults.push(fault);
  }
  const lost = await findLost(tx, tenantId);
  if (lost) faults.push({ problem: 'removed', position: null, entryId: lost });
  if (!chain.isCheckpointConfirmed) faults.push({ problem: 'other_checkpoint', position: chain.from, entryId: null });
  for (const head of storedHeads)
    if (!(await matchesStoredHead(tx, tenantId, chain, head))) faults.push(storedHeadFault(head));
  const { position, hash } = end;
  return { tenantId, checked, position, hash: hexOf(hash), from: chain.from, faults };
}

const storedHeadFault = ({ position }: StoredHead): AuditFault => ({ problem: 'not_as_kept', position, entryId: null });

async function readChain(tx: Tx, tenantId: string): Promise<Chain> {
  // A checkpoint counts only when an entry of the later chain confirms it, because an attacker who removes the
  // beginning would write a checkpoint too.
  const [chain] = await tx.$queryRaw<Chain[]>`
    select c.position, c.hash, c.checkpoint_position as "from", c.checkpoint_hash as "fromHash",
      c.dropped_to = 0 and c.checkpoint_position = 0 or exists (
        select from audit_entries e join audit_seals s on s.tenant_id = e.tenant_id and s.entry_id = e.id
        where e.tenant_id = c.tenant_id and e.action = 'audit.drop' and e.details = audit_checkpoint(c)
          and s.position > c.dropped_to) as "isCheckpointConfirmed"
    from audit_chains c where c.tenant_id = ${tenantId}::uuid`;
  const none = { position: 0n, hash: EMPTY, from: 0n, fromHash: EMPTY };
  return chain ?? { ...none, isCheckpointConfirmed: true };
}

/** @returns the last seal, and the first two rows that do not match: the second may explain the first */
async function checkSeals(tx: Tx, chain: Chain, onPage: OnPage) {
  let end: Link = { position: chain.from, hash: chain.fromHash };
  let checked = 0;
  const broken: Broken[] = [];
  for (;;) {
    const [page] = await tx.$queryRaw<{ seals: number; position: bigint; hash: Uint8Array; broken: RawBroken[] }[]>`
      select seals, position, hash, broken
      from check_audit_seals(${end.position}::bigint, ${end.hash}::bytea, ${PAGE}::int)`;
    if (!page || page.seals === 0) return { end, checked, broken };
    broken.push(...page.broken.map(parseBroken).slice(0, 2 - broken.length));
    checked += page.seals;
    end = page;
    await onPage(checked, Number(chain.position - chain.from));
  }
}

type RawBroken = Record<'position' | 'before' | 'entryId' | 'hash' | 'previous', string> & Pick<Broken, 'problem'>;
const parseBroken = ({ problem, position, before, entryId, hash, previous }: RawBroken): Broken => ({
  problem,
  // The position of the missing seal, not of the one after it.
  position: problem === 'gap' ? BigInt(before) + 1n : BigInt(position),
  entryId,
  hash: Buffer.from(hash, 'hex'),
  previous: Buffer.from(previous, 'hex'),
});

/** Returns the first row that has no seal and is not queued for one. */
async function findUnsealed(tx: Tx, tenantId: string): Promise<Unsealed | null> {
  const [row] = await tx.$queryRaw<Unsealed[]>`
    select e.id as "entryId", e.position as "logPosition" from audit_entries e
    where e.tenant_id = ${tenantId}::uuid
      and not exists (select from audit_seals s where s.tenant_id = ${tenantId}::uuid and s.entry_id = e.id)
      and not exists (select from audit_unsealed u where u.tenant_id = ${tenantId}::uuid and u.entry_id = e.id)
    order by e.position limit 1`;
  return row ?? null;
}

/** Returns a row that was queued for a seal and is gone. */
async function findLost(tx: Tx, tenantId: string): Promise<string | null> {
  const [row] = await tx.$queryRaw<{ id: string }[]>`
    select u.entry_id as id from audit_unsealed u
    where u.tenant_id = ${tenantId}::uuid and not exists (
      select from audit_entries e
      where e.id = u.entry_id and e.created_at = u.entry_created_at and e.tenant_id = u.tenant_id)
    order by u.position limit 1`;
  return row?.id ?? null;
}

/** Returns the log position of a seal's row or, when that is gone, of the row before it. */
async function logPositionOf(tx: Tx, tenantId: string, position: bigint): Promise<bigint> {
  const [row] = await tx.$queryRaw<{ logPosition: bigint }[]>`
    select e.position as "logPosition" from audit_seals s
    join audit_entries e on e.id = s.entry_id and e.tenant_id = s.tenant_id
    where s.tenant_id = ${tenantId}::uuid and s.position <= ${position}::bigint order by s.position desc limit 1`;
  return row?.logPosition ?? 0n;
}

async function faultOf(
  tx: Tx,
  tenantId: string,
  { first, second, unsealed }: { first: Broken; second: Broken | undefined; unsealed: Unsealed | null },
): Promise<AuditFault> {
  const { problem, position, entryId } = first;
  if (problem === 'gap') return { problem: 'seal_missing', position, entryId: unsealed?.entryId ?? null };
  // Only its time or its tenant may have been changed.
  const exists = problem === 'changed' || (await tx.auditEntry.count({ where: { tenantId, id: entryId } })) > 0;
  if (!exists) return { problem, position, entryId };
  if (second && (await isSwapped(tx, tenantId, first, second)))
    return { problem: 'swapped', position, entryId, otherId: second.entryId };
  return { problem: 'changed', position, entryId };
}

/** True when the first seal matches after swapping the two rows' positions or contents. */
async function isSwapped(
  tx: Tx,
  tenantId: string,
  { previous, hash, entryId }: Broken,
  other: Broken,
): Promise<boolean> {
  const [row] = await tx.$queryRaw<[{ fits: boolean }]>`
    select coalesce(bool_or(audit_hash(${previous}::bytea, one) = ${hash}::bytea), false) as fits
    from audit_entries a, audit_entries b, lateral unnest(array[
      b,
      jsonb_populate_record(a, jsonb_build_object('position', b.position)),
      jsonb_populate_record(b, jsonb_build_object('id', a.id)),
      jsonb_populate_record(b, jsonb_build_object('id', a.id, 'position', a.position)),
      jsonb_populate_record(b, jsonb_build_object('id', a.id, 'position', a.position, 'created_at', a.created_at))
    ]) as one
    where a.tenant_id = ${tenantId}::uuid and a.id = ${entryId}::uuid
      and b.tenant_id = ${tenantId}::uuid and b.id = ${other.entryId}::uuid`;
  return row.fits;
}

async function matchesStoredHead(
  tx: Tx,
  tenantId: string,
  chain: Chain,
  { position, hash }: StoredHead,
): Promise<boolean> {
  if (position === chain.from) return hexOf(chain.fromHash) === hash;
  const seal = await tx.auditSeal.findFirst({ where: { tenantId, position } });
  return seal !== null && hexOf(seal.hash) === hash;
}
