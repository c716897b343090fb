// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "docs/tests/browser.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace roofline::docs {
namespace {

using nlohmann::json;

constexpr const char* kChromium = "/usr/bin/chromium";
constexpr int kPatience = 60'000;  ///< ms for an answer, on a machine that is busy

}  // namespace

bool Browser::installed() { return access(kChromium, X_OK) == 0; }

Browser::Browser() {
  std::string folder = (std::filesystem::temp_directory_path() / "roofline-browser-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no folder for Chromium's profile");
  profile_ = folder;
  int commands[2], answers[2];
  if (pipe2(commands, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const std::string user_data = "--user-data-dir=" + folder;
  process_ = fork();
  if (process_ == 0) {
    setpgid(0, 0);
    // Chromium reads commands from descriptor 3 and answers on 4; move both out of the way first.
    const int in = fcntl(commands[0], F_DUPFD, 10), out = fcntl(answers[1], F_DUPFD, 10);
    const int nothing = ::open("/dev/null", O_RDWR);
    dup2(nothing, 0);
    dup2(nothing, 1);
    dup2(nothing, 2);
    dup2(in, 3);
    dup2(out, 4);
    close(in);
    close(out);
    execl(kChromium, kChromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
          "--disable-dev-shm-usage", "--disable-background-networking",
          "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe", "--window-size=1400,1000",
          user_data.c_str(), "about:blank", nullptr);
    _exit(127);
  }
  close(commands[0]);
  close(answers[1]);
  to_ = commands[1];
  from_ = answers[0];
  const json target = call("Target.createTarget", {{"url", "about:blank"}});
  session_ =
      call("Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}})["sessionId"];
  for (const char* domain : {"Page.enable", "Runtime.enable", "Log.enable", "Network.enable"})
    call(domain, json::object());
}

Browser::~Browser() {
  if (process_ > 0) {
    kill(-process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(to_);
  close(from_);
  std::error_code ignored;
  std::filesystem::remove_all(profile_, ignored);
}

void Browser::open(const std::filesystem::path& file) {
  complaints_.clear();
  requests_.clear();
  loaded_ = false;
  call("Page.navigate", {{"url", "file://" + file.string()}});
  while (!loaded_) hear(receive());
}

json Browser::evaluate(const std::string& expression) {
  const json answer =
      call("Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  if (answer.contains("exceptionDetails"))
    throw std::runtime_error(expression + ": " + answer["exceptionDetails"].dump());
  return answer["result"].value("value", json());
}

void Browser::resize(int width, int height) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", width < 500}});
}

void Browser::print_on(int width) {
  resize(width, width * 3 / 2);
  call("Emulation.setEmulatedMedia", {{"media", "print"}});
}

void Browser::screenshot(const std::filesystem::path& file) {
  const std::string text = call("Page.captureScreenshot", {{"format", "png"}})["data"];
  std::ofstream out(file, std::ios::binary);
  unsigned bits = 0, n_bits = 0;
  for (const char c : text) {  // base64
    static constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<unsigned>(digit);
    n_bits += 6;
    if (n_bits < 8) continue;
    n_bits -= 8;
    out.put(static_cast<char>(bits >> n_bits & 0xff));
  }
}

bool Browser::becomes_true(const std::string& expression, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  do {
    if (evaluate("Boolean(" + expression + ")") == true) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

json Browser::call(const std::string& method, json parameters) {
  json message = {{"id", ++last_id_}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) message["sessionId"] = session_;
  send(message);
  while (true) {
    json answer = receive();
    if (!answer.contains("id")) {
      hear(answer);
    } else if (answer["id"] == last_id_) {
      if (answer.contains("error")) throw std::runtime_error(method + ": " + answer["error"].dump());
      return answer["result"];
    }
  }
}

void Browser::send(const json& message) {
  std::string text = message.dump();
  text += '\0';
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t n = write(to_, text.data() + sent, text.size() - sent);
    if (n <= 0) throw std::runtime_error("Chromium has gone");
    sent += static_cast<std::size_t>(n);
  }
}

json Browser::receive() {
  while (true) {
    if (const std::size_t end = buffer_.find('\0'); end != std::string::npos) {
      json message = json::parse(buffer_.substr(0, end));
      buffer_.erase(0, end + 1);
      return message;
    }
    pollfd ready{.fd = from_, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, kPatience) <= 0) throw std::runtime_error("Chromium does not answer");
    char piece[65536];
    const ssize_t n = read(from_, piece, sizeof piece);
    if (n <= 0) throw std::runtime_error("Chromium has gone");
    buffer_.append(piece, static_cast<std::size_t>(n));
  }
}

void Browser::hear(const json& event) {
  const std::string method = event.value("method", "");
  const json parameters = event.value("params", json::object());
  if (method == "Page.loadEventFired") loaded_ = true;
  if (method == "Network.requestWillBeSent") requests_.push_back(parameters["request"]["url"]);
  if (method == "Network.loadingFailed" && !parameters.value("canceled", false))
    complaints_.push_back("not loaded: " + parameters.value("errorText", ""));
  if (method == "Runtime.exceptionThrown") complaints_.push_back(parameters["exceptionDetails"].dump());
  if (method == "Runtime.consoleAPICalled" &&
      (parameters["type"] == "error" || parameters["type"] == "assert"))
    complaints_.push_back(parameters["args"].dump());
  if (method == "Log.entryAdded" && parameters["entry"]["level"] == "error")
    complaints_.push_back(parameters["entry"].dump());
}

}  // namespace roofline::docs
