import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { fixedClock } from '#dev/testing/fixed-clock.ts';
import { newId } from '../core/ids.ts';
import { createApplication } from '../identity/applications/router.ts';

const insecure = { [oauth.allowInsecureRequests]: true };

/** An unmodified client library that gets only the issuer. */
describe('oauth4webapi against the auth server', () => {
  let clinic: Clinic<'http'>;
  let as: oauth.AuthorizationServer;
  let client: oauth.Client;
  let secret: string;
  let tenantId: string;
  let patientId: string;

  beforeAll(async () => {
    clinic = await withClinic({ http: true, overrides: { clock: fixedClock() } });
    const { services, tenant } = clinic;
    tenantId = tenant.id;
    const application = await createApplication(asAdmin(services, tenant), {
      name: 'Example Server',
      scopes: ['patients:read', 'patients:impersonate'],
    });
    client = { client_id: application.application.client_id };
    secret = application.client_secret;
    patientId = newId();
    await clinic.services.database.forTenant(tenantId).patient.create({
      data: { id: patientId, tenantId, email: 'ada@example.test' },
    });
    const issuer = new URL(`${clinic.url}/identity`);
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    as = await oauth.processDiscoveryResponse(issuer, response);
  });
  afterAll(() => clinic?.stop());

  /** Validates like a resource server: by the published keys alone. */
  const validate = (token: string) => {
    const request = new Request(`${clinic.url}/api/v1/patients`, { headers: { authorization: `Bearer ${token}` } });
    return oauth.validateJwtAccessToken(as, request, `${clinic.url}/api/v1`, insecure);
  };

  test('discovers the server', () => {
    expect(as).toMatchObject({
      issuer: `${clinic.url}/identity`,
      token_endpoint: `${clinic.url}/identity/oauth2/token`,
      jwks_uri: `${clinic.url}/identity/jwks.json`,
    });
  });

  const methods = { client_secret_basic: oauth.ClientSecretBasic, client_secret_post: oauth.ClientSecretPost };
  for (const [name, method] of Object.entries(methods))
    test(`gets a token with ${name} that the published keys verify`, async () => {
      const response = await oauth.clientCredentialsGrantRequest(as, client, method(secret), {}, insecure);
      const tokens = await oauth.processClientCredentialsResponse(as, client, response);
      expect(tokens).toMatchObject({ expires_in: 3600, scope: 'patients:read patients:impersonate' });
      const claims = await validate(tokens.access_token);
      expect(claims).toMatchObject({
        iss: `${clinic.url}/identity`,
        aud: `${clinic.url}/api/v1`,
        sub: client.client_id,
        client_id: client.client_id,
        tenant_id: tenantId,
        user_type: 'Application',
        scope: 'patients:read patients:impersonate',
      });
      expect(claims.exp - claims.iat).toBe(3600);
      expect(tokens.refresh_token).toBeUndefined();
    });

  test('gets fewer scopes on request', async () => {
    const parameters = { scope: 'patients:read' };
    const response = await oauth.clientCredentialsGrantRequest(
      as,
      client,
      oauth.ClientSecretBasic(secret),
      parameters,
      insecure,
    );
    const tokens = await oauth.processClientCredentialsResponse(as, client, response);
    expect(tokens.scope).toBe('patients:read');
  });

  test('impersonates a patient by email and by id', async () => {
    const subjects = { 'patient-email': 'Ada@example.test', 'patient-id': patientId };
    for (const [type, subject] of Object.entries(subjects)) {
      const response = await oauth.genericTokenEndpointRequest(
        as,
        client,
        oauth.ClientSecretBasic(secret),
        'urn:ietf:params:oauth:grant-type:token-exchange',
        { subject_token: subject, subject_token_type: `urn:carelane:params:oauth:token-type:${type}` },
        insecure,
      );
      const tokens = await oauth.processGenericTokenEndpointResponse(as, client, response);
      expect(tokens.issued_token_type).toBe('urn:ietf:params:oauth:token-type:access_token');
      expect(tokens.refresh_token).toBeUndefined();
      const claims = await validate(tokens.access_token);
      expect(claims).toMatchObject({ sub: patientId, user_type: 'Patient', act: { sub: client.client_id } });
      expect(claims.exp - claims.iat).toBeLessThanOrEqual(3600);
    }
  });

  test('reports a wrong secret as in RFC 6749', async () => {
    const wrong = oauth.ClientSecretBasic('cs_wrong');
    const response = await oauth.clientCredentialsGrantRequest(as, client, wrong, {}, insecure);
    await expect(oauth.processClientCredentialsResponse(as, client, response)).rejects.toBeInstanceOf(
      oauth.WWWAuthenticateChallengeError,
    );
  });
});
