import type { ClinicLookView, ClinicView, LogoView } from '#contract/clinic.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import type { Db, Tx } from '../core/db.ts';
import { apiError, notFound } from '../core/errors.ts';

/** A path on our own origin that contains nothing confidential. */
const logoPath = (tenantId: string, digest: string): string => `/api/logos/${tenantId}/${digest}.png`;

/** Returns the settings of the Clinic page. */
export async function getClinic(ctx: Context): Promise<ClinicView> {
  requireAdmin(ctx.actor, 'settings:manage');
  return loadClinic(ctx.db, ctx.tenantId);
}

/** Returns the look of a page opened from a link. The token only names the clinic; its validity is not checked. */
export async function openClinic(ctx: Context): Promise<ClinicLookView> {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'This opens with a link only.');
  const { time_zone: _, ...look } = await loadClinic(ctx.db, ctx.tenantId);
  return look;
}

/** @throws `not_found` for an invented token */
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
