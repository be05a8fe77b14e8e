import type { ClinicView, SetLogoInput } from '#contract/clinic.ts';
import { LOGO_BYTES, LOGO_TOO_LARGE } from '#contract/limits.ts';
import { requireAdmin } from '../core/actor.ts';
import type { Context } from '../core/context.ts';
import { sha256 } from '../core/crypto.ts';
import { invalidParameter } from '../core/errors.ts';
import { record } from '../core/record.ts';
import { loadClinic } from './get-clinic.ts';
import { NO_PNG, readPng } from './png.ts';

/**
 * Stores a picture as the clinic's logo. SVG is not accepted, because it can contain scripts.
 * @throws `invalid_parameter` for anything but a still PNG
 */
export async function setLogo(ctx: Context, input: SetLogoInput): Promise<ClinicView> {
  requireAdmin(ctx.actor);
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
export async function removeLogo(ctx: Context): Promise<ClinicView> {
  requireAdmin(ctx.actor);
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    const { count } = await tx.tenantLogo.deleteMany({ where: { tenantId } });
    if (count > 0) await record(tx, ctx, { action: 'clinic.remove_logo', object: { type: 'Tenant', id: tenantId } });
    return loadClinic(tx, tenantId);
  });
}
