import type { Services } from '../core/context.ts';
import { notFound } from '../core/errors.ts';
import { createHandler } from './create-handler.ts';
import type { FileResponse, Handler } from './handler.ts';

const ADDRESS = /^\/api\/logos\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([0-9a-f]{32})\.png$/;
const YEAR_SECONDS = 31_536_000;
/** Emails link to a logo that may have changed: they get the current one, cached briefly. */
const SHORT_SECONDS = 300;

/** Serves clinics' logos without a sign-in, for patients' pages and email programs. */
export function createLogoHandler(services: Services): Handler<FileResponse> {
  return createHandler(services, {
    name: 'logo',
    methods: ['GET', 'HEAD'],
    async handle(request) {
      const [, tenantId, digest] = ADDRESS.exec(request.path) ?? [];
      if (!tenantId || !digest) throw notFound('picture');
      const logo = await services.database.forTenant(tenantId).tenantLogo.findFirst({ where: { tenantId } });
      if (!logo) throw notFound('picture');
      return { status: 200, headers: headersOf(logo.digest === digest), body: logo.png };
    },
  });
}

/** Safe even if opened as a page; web mail shows the logo on pages of other origins. */
const headersOf = (isCurrent: boolean): Record<string, string> => ({
  'content-type': 'image/png',
  'content-disposition': 'inline; filename="logo.png"',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': isCurrent ? `public, max-age=${YEAR_SECONDS}, immutable` : `public, max-age=${SHORT_SECONDS}`,
});
