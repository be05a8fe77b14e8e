import type { Page } from '#contract/conventions.ts';
import type { ListUnmatchedInput, UnmatchedAppointmentView } from '#contract/unmatched.ts';
import type { UnmatchedAppointment } from '#generated/prisma/client.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { isId } from '#server/core/ids.ts';
import { beyondInstant, readPage } from '#server/core/paging.ts';
import { findSchedulingAccount } from '#server/integrations/index.ts';
import { presentUnmatched } from '#server/scheduling/unmatched/unmatched.ts';

/**
 * Lists the bookings at the connected account that belong to no patient, soonest first, with past ones until they are
 * purged; `ignored` selects the ignored ones.
 */
export async function listUnmatched(ctx: Context, input: ListUnmatchedInput): Promise<Page<UnmatchedAppointmentView>> {
  requireAdmin(ctx.actor, 'unmatched:write');
  const { tenantId, db } = ctx;
  const accountId = (await findSchedulingAccount(ctx))?.accountId ?? '';
  const ignoredAt = input.ignored ? { not: null } : null;
  const where = { tenantId, accountId, status: 'scheduled', ignoredAt };
  let proposals = new Map<string, string>();
  return readPage(
    input,
    {
      what: 'unmatched appointment',
      async keyOf(id) {
        const row = isId(id) ? await db.unmatchedAppointment.findFirst({ where: { tenantId, accountId, id } }) : null;
        return row && { at: row.startAt, id };
      },
      async read({ backwards, limit, offset, beyond }) {
        const direction = backwards ? 'desc' : 'asc';
        const rows = await db.unmatchedAppointment.findMany({
          where: beyond ? { AND: [where, beyondInstant('startAt', beyond, !backwards)] } : where,
          orderBy: [{ startAt: direction }, { id: direction }],
          take: limit,
          skip: offset,
        });
        proposals = await propose(ctx, rows);
        return rows;
      },
      count: (take) => db.unmatchedAppointment.count({ where, ...(take && { take }) }),
    },
    (row) => presentUnmatched(row, proposedFor(row, proposals)),
  );
}

/** Presents one unmatched booking as the API returns it. */
export async function presentWithProposals(ctx: Context, row: UnmatchedAppointment): Promise<UnmatchedAppointmentView> {
  return presentUnmatched(row, proposedFor(row, await propose(ctx, [row])));
}

const proposedFor = ({ email }: UnmatchedAppointment, proposals: Map<string, string>): string[] =>
  [email === null ? undefined : proposals.get(email)].filter((id) => id !== undefined);

/**
 * Returns the patients in care who have exactly these addresses, by address; each proposed patient is added to the
 * audit trail.
 */
async function propose({ db, tenantId, trail }: Context, rows: UnmatchedAppointment[]): Promise<Map<string, string>> {
  const emails = [...new Set(rows.flatMap(({ email }) => email ?? []))];
  if (emails.length === 0) return new Map();
  const patients = await db.patient.findMany({
    where: { tenantId, email: { in: emails } },
    select: { id: true, email: true, status: true, survivor: { select: { id: true, status: true } } },
  });
  const proposals = patients.flatMap(({ email, survivor, ...patient }) => {
    const { id, status } = survivor ?? patient;
    return email === null || status === 'archived' ? [] : [[email, id] as const];
  });
  for (const [, id] of proposals) trail.patients.add(id);
  return new Map(proposals);
}
