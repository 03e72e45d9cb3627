internal import CMalloc
package import Contracts
import Glibc

/// The kernel's measurements of this process.
package enum ProcessUsage {
    /// What each service of a process reports: its version, the process, and when it began.
    package static func startMetrics(startedAt: ContinuousClock.Instant) -> [ProcessReport.Metric] {
        let age = startedAt.duration(to: .now)
        return [
            .init(
                name: ProcessReport.Metric.processInfoName, kind: .gauge,
                labels: ["version": Program.version, "pid": "\(getpid())"], value: 1),
            .init(name: "process_start_time_seconds", kind: .gauge, value: wallClockSeconds - age / .seconds(1)),
        ]
    }

    /// Resident memory and processor time of the process, under the names of the official Prometheus clients.
    package static var metrics: [ProcessReport.Metric] {
        [
            .init(name: "process_resident_memory_bytes", kind: .gauge, value: Double(residentBytes)),
            .init(name: "process_cpu_seconds_total", kind: .counter, value: processorSeconds),
            .init(name: "latchkey_process_allocator_arenas", kind: .gauge, value: Double(allocatorArenas)),
        ]
    }

    /// Since 1970.
    private static var wallClockSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    /// The second number of `/proc/self/statm`, in pages; 0 if there is no such file.
    static var residentBytes: Int {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &bytes, bytes.count)
        let numbers = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
        guard numbers.count > 1, let pages = Int(numbers[1]) else { return 0 }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The arenas of the allocator, each of which keeps the memory that it once needed (malloc_info(3)); 0 if there is no
    /// memory to ask.
    static var allocatorArenas: Int {
        var text: UnsafeMutablePointer<CChar>?
        var count = 0
        return withUnsafeMutablePointer(to: &text) { text in
            withUnsafeMutablePointer(to: &count) { count in
                guard let stream = open_memstream(text, count) else { return 0 }
                malloc_info(0, stream)
                fclose(stream)
                defer { free(text.pointee) }
                let bytes = UnsafeRawBufferPointer(start: text.pointee, count: text.pointee == nil ? 0 : count.pointee)
                return String(decoding: bytes, as: UTF8.self).split(separator: "<heap nr=").count - 1
            }
        }
    }

    /// User and system time of all threads.
    static var processorSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
