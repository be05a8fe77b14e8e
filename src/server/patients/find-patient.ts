import { Prisma, type Tx } from '#server/core/db.ts';
import { selectPatients } from './list-patients-query.ts';
import type { PatientRecord } from './present-patient.ts';

/** Returns one patient with phones and addresses, or null. */
export async function findPatient(
  db: Pick<Tx, '$queryRaw'>,
  tenantId: string,
  id: string,
): Promise<PatientRecord | null> {
  const where = Prisma.sql`p.tenant_id = ${tenantId}::uuid and p.id = ${id}::uuid`;
  const [patient] = await selectPatients(db, { where, orderBy: Prisma.sql`p.id`, limit: 1 });
  return patient ?? null;
}
