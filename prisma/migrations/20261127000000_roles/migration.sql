ALTER TABLE "staff_users" DROP CONSTRAINT "staff_users_role";
ALTER TABLE "staff_users" ADD CONSTRAINT "staff_users_role"
  CHECK ("role" IN ('admin', 'practitioner', 'front_desk', 'billing', 'read_only'));

-- Practitioners of existing clinics keep what they may do today; a new clinic decides for itself.
ALTER TABLE "tenants" ADD COLUMN "practitioner_options" TEXT[] NOT NULL
  DEFAULT ARRAY['subscriptions:cancel', 'payments:refund', 'lists:export']::TEXT[];
ALTER TABLE "tenants" ALTER COLUMN "practitioner_options" SET DEFAULT ARRAY[]::TEXT[];
