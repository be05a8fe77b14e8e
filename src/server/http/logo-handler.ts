import type { Services } from '../core/context.ts';
import { apiError, CarelaneError, notFound } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { assertAddressLimit } from './address-limit.ts';
import type { FileResponse, Handler } from './handler.ts';
import { respondError } from './respond.ts';

const ADDRESS = /^\/api\/logos\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([0-9a-f]{32})\.png$/;
const YEAR_SECONDS = 31_536_000;
/** Emails link to a logo that may have changed: they get the current one, cached briefly. */
const WHILE_SECONDS = 300;

/** Serves clinics' logos without a sign-in, for patients' pages and email programs. */
export function createLogoHandler(services: Services): Handler<FileResponse> {
  return async (request) => {
    const requestId = newId(services.clock.now());
    try {
      assertAddressLimit(services, request.ip);
      if (request.method !== 'GET' && request.method !== 'HEAD')
        throw new CarelaneError(
          { code: 'method_not_allowed', detail: 'Send GET.' },
          { headers: { allow: 'GET, HEAD' } },
        );
      const [, tenantId, digest] = ADDRESS.exec(request.path) ?? [];
      if (!tenantId || !digest) throw notFound('picture');
      const logo = await services.database.forTenant(tenantId).tenantLogo.findFirst({ where: { tenantId } });
      if (!logo) throw notFound('picture');
      return { status: 200, headers: headersOf(logo.digest === digest), body: logo.png };
    } catch (error) {
      if (error instanceof CarelaneError) return respondError(error, requestId);
      services.log.error({ requestId, err: (error as Error).message }, 'logo not sent');
      return respondError(apiError('internal_error', 'Something went wrong on our side.'), requestId);
    }
  };
}

/** Safe even if opened as a page; web mail shows the logo on pages of other origins. */
const headersOf = (isThisOne: boolean): Record<string, string> => ({
  'content-type': 'image/png',
  'content-disposition': 'inline; filename="logo.png"',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': isThisOne ? `public, max-age=${YEAR_SECONDS}, immutable` : `public, max-age=${WHILE_SECONDS}`,
});
