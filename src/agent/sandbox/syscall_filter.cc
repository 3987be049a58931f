#include "agent/sandbox/syscall_filter.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "base/env.h"
#include "base/errno_error.h"
#include "base/fd.h"

namespace helve::sandbox {

namespace {

// Of no effect beyond the process and what Landlock lets it open.
constexpr auto kAllowed = std::to_array<int>({
    // Descriptors that are open.
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(pread64),
    SCMP_SYS(preadv),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(pwrite64),
    SCMP_SYS(pwritev),
    SCMP_SYS(lseek),
    SCMP_SYS(close),
    SCMP_SYS(close_range),
    SCMP_SYS(fstat),
    SCMP_SYS(fstatfs),
    SCMP_SYS(dup),
    SCMP_SYS(dup2),
    SCMP_SYS(dup3),
    SCMP_SYS(pipe),
    SCMP_SYS(pipe2),
    SCMP_SYS(flock),
    SCMP_SYS(ftruncate),

    SCMP_SYS(fsync),
    SCMP_SYS(fdatasync),
    SCMP_SYS(fadvise64),
    SCMP_SYS(sendfile),
    SCMP_SYS(copy_file_range),
    SCMP_SYS(getdents),
    SCMP_SYS(getdents64),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(select),
    SCMP_SYS(pselect6),
    SCMP_SYS(epoll_create),
    SCMP_SYS(epoll_create1),
    SCMP_SYS(epoll_ctl),
    SCMP_SYS(epoll_wait),
    SCMP_SYS(epoll_pwait),
    SCMP_SYS(epoll_pwait2),
    SCMP_SYS(eventfd2),
    SCMP_SYS(shutdown),
    SCMP_SYS(getsockname),
    SCMP_SYS(getpeername),
    // Names: Landlock decides, but for those that only look (see docs/sandbox.md).
    SCMP_SYS(stat),
    SCMP_SYS(lstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(statx),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(getcwd),
    SCMP_SYS(chdir),
    SCMP_SYS(fchdir),
    SCMP_SYS(mkdir),
    SCMP_SYS(mkdirat),
    SCMP_SYS(rmdir),
    SCMP_SYS(unlink),
    SCMP_SYS(unlinkat),
    SCMP_SYS(rename),
    SCMP_SYS(renameat),
    SCMP_SYS(renameat2),
    SCMP_SYS(umask),
    // Memory and threads.
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(msync),
    SCMP_SYS(brk),
    SCMP_SYS(futex),
    SCMP_SYS(futex_waitv),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(set_tid_address),
    SCMP_SYS(arch_prctl),
    SCMP_SYS(membarrier),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(getcpu),
    // Signals to itself that the kernel sends.
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigpending),
    SCMP_SYS(rt_sigtimedwait),
    SCMP_SYS(rt_sigsuspend),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(alarm),
    SCMP_SYS(setitimer),
    SCMP_SYS(getitimer),
    SCMP_SYS(pause),
    SCMP_SYS(restart_syscall),
    // What time it is and who asks.
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(time),
    SCMP_SYS(times),
    SCMP_SYS(getpid),
    SCMP_SYS(getppid),
    SCMP_SYS(gettid),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    SCMP_SYS(getgroups),
    SCMP_SYS(getresuid),
    SCMP_SYS(getresgid),
    SCMP_SYS(getpgrp),
    SCMP_SYS(getpgid),
    SCMP_SYS(getsid),
    SCMP_SYS(getrusage),
    SCMP_SYS(getrlimit),
    SCMP_SYS(uname),
    SCMP_SYS(sysinfo),
    SCMP_SYS(getrandom),
});

constexpr auto kFcntlCommands =
    std::to_array<int>({F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK});

// Locks take memory of the kernel that nobody counts. In a folder that one process uses they say
// nothing: they are granted and not made, which is enough for SQLite.
constexpr auto kLockCommands = std::to_array<int>({F_SETLK, F_SETLKW});

constexpr auto kSocketOptions = std::to_array<int>({SO_TYPE, SO_ERROR, SO_PROTOCOL, SO_DOMAIN});

constexpr auto kIoctls = std::to_array<unsigned>({TCGETS, FIOCLEX, FIONCLEX, FIONBIO, FIONREAD});

constexpr scmp_datum_t kThreadFlags =
    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
constexpr scmp_datum_t kNamespaceFlags = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

class Builder {
 public:
  Builder() : filter_(seccomp_init(SCMP_ACT_ERRNO(EPERM)), seccomp_release) {
    if (filter_ == nullptr) failure_ = -ENOMEM;
  }

  template <typename... Conditions>
  void allow(int call, Conditions... conditions) {
    add(SCMP_ACT_ALLOW, call, conditions...);
  }

  template <typename... Conditions>
  void add(std::uint32_t action, int call, Conditions... conditions) {
    if (failure_ != 0) return;
    const std::array<scmp_arg_cmp, sizeof...(conditions)> all{conditions...};
    const int outcome = seccomp_rule_add_array(filter_.get(), action, call, all.size(), all.data());
    // Some calls do not exist on some machines: those cannot be made.
    if (outcome != 0 && outcome != -EDOM && outcome != -EOPNOTSUPP) failure_ = outcome;
  }

  Result<std::vector<sock_filter>> finish() {
    if (failure_ == 0) {
      // A tree instead of a list: CPython makes many calls.
      static_cast<void>(seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2));
      static_cast<void>(
          seccomp_attr_set(filter_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
    }
    if (failure_ != 0) return error_from_errno(-failure_, "make", "the filter of system calls");
    const UniqueFd file(::memfd_create("helve-filter", MFD_CLOEXEC));
    if (!file.is_open()) return error_from_errno(errno, "make", "memory for a filter");
    if (const int outcome = seccomp_export_bpf(filter_.get(), file.get()); outcome != 0) {
      return error_from_errno(-outcome, "write", "the filter of system calls");
    }
    const off_t size = ::lseek(file.get(), 0, SEEK_END);
    if (size <= 0) return error_from_errno(errno, "read", "the filter of system calls");
    std::vector<sock_filter> program(static_cast<std::size_t>(size) / sizeof(sock_filter));
    if (::pread(file.get(), program.data(), static_cast<std::size_t>(size), 0) != size) {
      return error_from_errno(errno, "read", "the filter of system calls");
    }
    return program;
  }

 private:
  std::unique_ptr<void, decltype(&seccomp_release)> filter_;
  int failure_ = 0;
};

scmp_arg_cmp is(unsigned argument, scmp_datum_t value) { return {argument, SCMP_CMP_EQ, value, 0}; }
scmp_arg_cmp has(unsigned argument, scmp_datum_t mask, scmp_datum_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

// O_TRUNC empties a file that is opened for reading alone, and old versions of Landlock do not look
// at that; nor do they at files that are opened for neither reading nor writing.
void allow_opening(Builder& builder, int call, unsigned flags) {
  constexpr scmp_datum_t kMask = O_TRUNC | O_ACCMODE;
  for (const scmp_datum_t mode :
       {O_RDONLY, O_WRONLY, O_RDWR, O_TRUNC | O_WRONLY, O_TRUNC | O_RDWR}) {
    builder.allow(call, has(flags, kMask, mode));
  }
}

// No memory is written and run at once.
void allow_mapping(Builder& builder, int call) {
  builder.allow(call, has(2, PROT_EXEC, 0));
  builder.allow(call, has(2, PROT_EXEC | PROT_WRITE, PROT_EXEC));
}

void allow_conditionally(Builder& builder) {
  allow_opening(builder, SCMP_SYS(open), 1);
  allow_opening(builder, SCMP_SYS(openat), 2);
  allow_mapping(builder, SCMP_SYS(mmap));
  allow_mapping(builder, SCMP_SYS(mprotect));
  for (const int command : kFcntlCommands) {
    builder.allow(SCMP_SYS(fcntl), is(1, static_cast<scmp_datum_t>(command)));
  }
  for (const int command : kLockCommands) {
    builder.add(SCMP_ACT_ERRNO(0), SCMP_SYS(fcntl), is(1, static_cast<scmp_datum_t>(command)));
  }
  for (const int option : kSocketOptions) {
    builder.allow(SCMP_SYS(getsockopt), is(1, SOL_SOCKET),
                  is(2, static_cast<scmp_datum_t>(option)));
  }
  for (const unsigned request : kIoctls) builder.allow(SCMP_SYS(ioctl), is(1, request));
  // Threads, and no processes. The flags of clone3 stand in memory, where a filter cannot see them:
  // glibc falls back to clone.
  builder.allow(SCMP_SYS(clone), has(0, kThreadFlags | kNamespaceFlags, kThreadFlags));
  builder.add(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));
  builder.add(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(openat2));
  // Room on the disk at no cost, between two looks at the folder. The C library writes instead.
  builder.add(SCMP_ACT_ERRNO(EOPNOTSUPP), SCMP_SYS(fallocate));
  // Limits may be read.
  builder.allow(SCMP_SYS(prlimit64), is(0, 0), is(2, 0));
  // Pairs of stream sockets are pipes in both directions; asyncio wakes itself by one. Datagrams
  // could be sent to names.
  builder.allow(SCMP_SYS(socketpair), is(0, AF_UNIX),
                has(1, ~scmp_datum_t{SOCK_CLOEXEC | SOCK_NONBLOCK}, SOCK_STREAM));
  // Out-of-band data has been a way into the kernel.
  builder.allow(SCMP_SYS(sendto), has(3, MSG_OOB, 0), is(4, 0));
  builder.allow(SCMP_SYS(recvfrom), has(3, MSG_OOB, 0));
}

// An empty text at an address that cannot be guessed: more tries than the CPU time of a guest.
Result<const char*> make_secret_text() {
  constexpr std::uint64_t kPageMask = 4'095;
  constexpr int kTries = 32;
  for (int i = 0; i < kTries; ++i) {
    // Some machines have addresses of 39 bits only.
    const std::uint64_t bits = i < kTries / 2 ? 46 : 38;
    const std::uint64_t address = real_env().random().next_u64() & ((std::uint64_t{1} << bits) - 1);
    void* const page = ::mmap(reinterpret_cast<void*>(address & ~kPageMask), kPageMask + 1,
                              PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (page != MAP_FAILED) return static_cast<const char*>(page) + (address & kPageMask);
  }
  return Error{ErrorCode::Unavailable, "there is no room in memory for a page"};
}

Result<SyscallFilter> make_filter() {
  HELVE_ASSIGN(const char* const empty_path, make_secret_text());
  Builder builder;
  for (const int call : kAllowed) builder.allow(call);
  allow_conditionally(builder);
  builder.allow(SCMP_SYS(execveat), is(0, static_cast<scmp_datum_t>(kProgramFd)),
                is(1, reinterpret_cast<scmp_datum_t>(empty_path)), is(4, AT_EMPTY_PATH));
  HELVE_ASSIGN(std::vector<sock_filter> program, builder.finish());
  return SyscallFilter{std::move(program), empty_path};
}

}  // namespace

const Result<SyscallFilter>& syscall_filter() {
  static const auto& filter = *new Result<SyscallFilter>(make_filter());  // threads outlive statics
  return filter;
}

}  // namespace helve::sandbox
