CREATE TABLE IF NOT EXISTS test (
  build_commit TEXT,
  build_number INTEGER,
  cpu_info TEXT,
  avg_ts REAL
);

INSERT INTO test (build_commit, build_number, cpu_info, model_filename, n_threads, flash_attn, n_prompt, n_gen, n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts) VALUES ('12e45678', '5163', 'It''s a CPU, 8 cores', 'models/tiny.gguf', '8', '0', '512', '0', '0', '2025-04-24T12:00:08Z', '500000000', '1000000', '1024.500000', '2.250000');
INSERT INTO test (build_commit, build_number, cpu_info, model_filename, n_threads, flash_attn, n_prompt, n_gen, n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts) VALUES ('12e45678', '5163', 'It''s a CPU, 8 cores', 'models/tiny.gguf', '8', '0', '512', '64', '0', '2025-04-24T12:00:09Z', '3000000000', '4100000000', '192.000000', '0.500000');
INSERT INTO test (build_commit, build_number, cpu_info, model_filename, n_threads, flash_attn, n_prompt, n_gen, n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts) VALUES ('12e45678', '5163', 'It''s a CPU, 8 cores', 'models/tiny.gguf', '8', '0', '512', '0', '0', '2025-04-24T12:30:08Z', '400000000', '1000000', '1280.000000', '3.500000');
INSERT INTO test (build_commit, build_number) VALUES ('12e45678', '5163');
