-- How a patient's camera, microphone and line did when they were tried out before the visit, the last time alone.
ALTER TABLE "appointments" ADD COLUMN "video_test" JSONB;
