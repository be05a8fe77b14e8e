import type { ClinicView, UpdateClinicInput } from '#contract/clinic.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { record } from '../core/record.ts';
import { loadClinic } from './get-clinic.ts';

/** Replaces the clinic's settings except the logo; the audit entry lists the changed fields. */
export async function updateClinic(ctx: Context, input: UpdateClinicInput): Promise<ClinicView> {
  requireAdmin(ctx.actor);
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    const before = await loadClinic(tx, tenantId);
    const fields = (Object.keys(input) as (keyof UpdateClinicInput)[]).filter((name) => input[name] !== before[name]);
    if (fields.length === 0) return before;
    await tx.tenant.update({
      where: { id: tenantId },
      data: {
        name: input.name,
        timeZone: input.time_zone,
        brandColour: input.colour,
        supportPhone: input.support_phone,
        supportEmail: input.support_email,
        termsUrl: input.terms_url,
        privacyUrl: input.privacy_url,
      },
    });
    await record(tx, ctx, { action: 'clinic.update', object: { type: 'Tenant', id: tenantId }, details: { fields } });
    return { ...input, logo: before.logo };
  });
}
