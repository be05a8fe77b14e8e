import type { ClinicLookView, ClinicView, LogoView } from '#contract/clinic.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import type { Db, Tx } from '../core/db.ts';
import { notFound, refuse } from '../core/errors.ts';

/** Of our own origin, and without anything that would have to be kept to oneself. */
export const logoPath = (tenantId: string, digest: string): string => `/api/logos/${tenantId}/${digest}.png`;

/** What administrators set on the Clinic page. */
export async function readClinic(ctx: Context): Promise<ClinicView> {
  requireAdmin(ctx.actor);
  return loadClinic(ctx.db, ctx.tenantId);
}

/** What a page wears that was opened from a link. The link's token names the clinic; whether it opens anything is not asked. */
export async function openClinic(ctx: Context): Promise<ClinicLookView> {
  if (ctx.actor.kind !== 'visitor') throw refuse('forbidden', 'This opens with a link only.');
  const { time_zone: _, ...look } = await loadClinic(ctx.db, ctx.tenantId);
  return look;
}

/** Error: not_found, for what a made-up token names. */
export async function loadClinic(db: Db | Tx, tenantId: string): Promise<ClinicView> {
  const tenant = await db.tenant.findFirst({ where: { id: tenantId } });
  if (!tenant) throw notFound('clinic');
  return {
    name: tenant.name,
    time_zone: tenant.timeZone,
    colour: tenant.brandColour,
    support_phone: tenant.supportPhone,
    support_email: tenant.supportEmail,
    terms_url: tenant.termsUrl,
    privacy_url: tenant.privacyUrl,
    logo: await loadLogo(db, tenantId),
  };
}

async function loadLogo(db: Db | Tx, tenantId: string): Promise<LogoView | null> {
  const logo = await db.tenantLogo.findFirst({
    where: { tenantId },
    select: { digest: true, width: true, height: true },
  });
  return logo && { path: logoPath(tenantId, logo.digest), width: logo.width, height: logo.height };
}
