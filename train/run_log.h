// train.log in a run's directory: what was said, with the time.
#pragma once

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <string>

namespace quarto {

// Appends; every line is written at once. Throws spdlog::spdlog_ex if the file cannot be opened.
inline spdlog::logger run_log(const std::string& name, const std::filesystem::path& run) {
  spdlog::logger logger(name, std::make_shared<spdlog::sinks::basic_file_sink_mt>((run / "train.log").string()));
  logger.flush_on(spdlog::level::info);
  return logger;
}

}  // namespace quarto
