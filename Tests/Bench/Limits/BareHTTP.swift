import CMicrohttpd
import Glibc

/// The HTTP library of the gateway without a gateway: every request is answered with the same 500 bytes.
enum BareHTTP {
    private static let body: StaticString = """
        {"kind":"bench#fixed","filler":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}
        """

    /// Listens on a port of the loopback address until the process ends, with one thread, as the gateway.
    static func serve(on port: UInt16) {
        precondition(body.utf8CodeUnitCount == 500, "the answer has \(body.utf8CodeUnitCount) bytes")
        let address = sockaddr_in(
            sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian,
            sin_addr: in_addr(s_addr: INADDR_LOOPBACK.bigEndian), sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
        let daemon = withUnsafePointer(to: address) { address in
            withVaList([MHD_OPTION.SOCK_ADDR.rawValue, OpaquePointer(address), MHD_OPTION.END.rawValue]) { options in
                MHD_start_daemon_va(
                    MHD_USE_EPOLL.rawValue | MHD_USE_INTERNAL_POLLING_THREAD.rawValue, port, nil, nil,
                    { _, connection, _, _, _, _, size, state in BareHTTP.answer(connection, size, state) }, nil, options
                )
            }
        }
        guard daemon != nil else {
            perror("bench-limits: port \(port)")
            exit(1)
        }
        while true { pause() }
    }

    /// The library calls it after the head, for each piece of the body, and at the end.
    private static func answer(
        _ connection: OpaquePointer?, _ uploaded: UnsafeMutablePointer<Int>?,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> MHD_Result {
        guard state?.pointee != nil else {
            state?.pointee = UnsafeMutableRawPointer(bitPattern: 1)
            return .YES
        }
        guard uploaded?.pointee == 0 else {
            uploaded?.pointee = 0
            return .YES
        }
        let response = MHD_create_response_from_buffer(
            body.utf8CodeUnitCount, UnsafeMutableRawPointer(mutating: body.utf8Start), .RESPMEM_PERSISTENT)
        defer { MHD_destroy_response(response) }
        MHD_add_response_header(response, "Content-Type", "application/json")
        return MHD_queue_response(connection, 200, response)
    }
}
