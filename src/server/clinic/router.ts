import { SetCancelReasonsInput } from '#contract/cancel-reasons.ts';
import { type ClinicView, OpenClinicInput, SetLogoInput, UpdateClinicInput } from '#contract/clinic.ts';
import { LOGO_BYTES, LOGO_TOO_LARGE } from '#contract/limits.ts';
import { NoInput } from '#contract/patients.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { sha256 } from '../core/crypto.ts';
import { invalidParameter } from '../core/errors.ts';
import { record } from '../core/record.ts';
import { noPatient, router } from '../core/trpc.ts';
import { listCancelReasons, setCancelReasons } from './cancel-reasons.ts';
import { getClinic, loadClinic, openClinic } from './get-clinic.ts';
import { NO_PNG, readPng } from './png.ts';

/** Replaces the clinic's settings except the logo; the audit entry lists the changed fields. */
async function updateClinic(ctx: Context, input: UpdateClinicInput): Promise<ClinicView> {
  requireAdmin(ctx.actor, 'settings:manage');
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

/**
 * Stores a picture as the clinic's logo. SVG is not accepted, because it can contain scripts.
 * @throws `invalid_parameter` for anything but a still PNG
 */
async function setLogo(ctx: Context, input: SetLogoInput): Promise<ClinicView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const file = Buffer.from(input.png, 'base64');
  // Node decodes invalid base64 leniently; comparing the re-encoded text detects it.
  if (file.toString('base64') !== input.png) throw invalidParameter('png', NO_PNG);
  if (file.length > LOGO_BYTES) throw invalidParameter('png', LOGO_TOO_LARGE);
  const png = readPng(file);
  if (typeof png === 'string') throw invalidParameter('png', png);
  const { tenantId } = ctx;
  const { width, height } = png;
  const data = {
    png: new Uint8Array(png.bytes),
    digest: sha256(png.bytes).slice(0, 32),
    width,
    height,
    updatedAt: ctx.clock.now(),
  };
  return ctx.db.$transaction(async (tx) => {
    await tx.tenantLogo.upsert({ where: { tenantId }, create: { tenantId, ...data }, update: data });
    const details = { bytes: png.bytes.length, width, height };
    await record(tx, ctx, { action: 'clinic.set_logo', object: { type: 'Tenant', id: tenantId }, details });
    return loadClinic(tx, tenantId);
  });
}

/** Removes the logo; only the clinic's name is shown then. */
async function removeLogo(ctx: Context): Promise<ClinicView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    const { count } = await tx.tenantLogo.deleteMany({ where: { tenantId } });
    if (count > 0) await record(tx, ctx, { action: 'clinic.remove_logo', object: { type: 'Tenant', id: tenantId } });
    return loadClinic(tx, tenantId);
  });
}

/** Procedures of the portal's Clinic page, and the look of the pages for patients. */
export const clinicRouter = router({
  get: noPatient.input(NoInput.optional()).query(({ ctx }) => getClinic(ctx)),
  update: noPatient.input(UpdateClinicInput).mutation(({ ctx, input }) => updateClinic(ctx, input)),
  setLogo: noPatient.input(SetLogoInput).mutation(({ ctx, input }) => setLogo(ctx, input)),
  removeLogo: noPatient.input(NoInput.optional()).mutation(({ ctx }) => removeLogo(ctx)),
  listCancelReasons: noPatient.input(NoInput.optional()).query(({ ctx }) => listCancelReasons(ctx)),
  setCancelReasons: noPatient.input(SetCancelReasonsInput).mutation(({ ctx, input }) => setCancelReasons(ctx, input)),
  open: noPatient.input(OpenClinicInput).query(({ ctx }) => openClinic(ctx)),
});
