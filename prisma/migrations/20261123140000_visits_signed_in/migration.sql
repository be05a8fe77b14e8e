-- Clinics may ask that patients come to a visit signed in.
ALTER TABLE "tenants" DROP CONSTRAINT "tenants_visit_check",
  ADD CONSTRAINT "tenants_visit_check" CHECK ("visit_check" IN ('none', 'date_of_birth', 'sign_in'));
