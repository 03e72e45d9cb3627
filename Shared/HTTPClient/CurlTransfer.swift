internal import CCurl
import Curl
import FoundationEssentials
import Glibc
import Vocabulary

/// One request and the part of its response that has arrived. Used by one thread.
final class CurlTransfer {
    /// The trusted certificates and the client certificate, as paths of PEM files.
    struct TLSFiles: Sendable {
        var caFilePath: String?
        var certificate: String?
    }

    private let limits: HTTPClient.Limits
    private let addresses: AddressPolicy
    private var hasRefusedAddress = false
    private var headers: [(name: String, value: String)] = []
    private var headerBytes = 0
    private var body = Data()
    private var isTooLarge = false

    init(_ limits: HTTPClient.Limits, _ addresses: AddressPolicy) {
        self.limits = limits
        self.addresses = addresses
    }

    /// Blocks until the response is complete or the transfer failed.
    func perform(
        _ request: HTTPClientRequest, _ trust: TLSFiles, on handle: CurlHandle
    ) throws(HTTPClientError) -> HTTPClientResponse {
        let fields = try HeaderList(request)
        let box = Unmanaged.passRetained(self)
        // The library calls back only inside of `curl_easy_perform`.
        defer { box.release() }
        var message = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
        let code = message.withUnsafeMutableBufferPointer { message in
            // The body is not copied: it stays in place until the transfer is complete.
            (request.body ?? Data()).withUnsafeBytes { body in
                var options = CurlOptions(handle)
                apply(request, body, to: &options)
                apply(limits, trust, to: &options)
                options.set(CURLOPT_ERRORBUFFER, pointer: message.baseAddress)
                options.set(CURLOPT_HTTPHEADER, pointer: fields.list)
                options.set(CURLOPT_WRITEDATA, pointer: box.toOpaque())
                options.set(CURLOPT_HEADERDATA, pointer: box.toOpaque())
                if addresses != .all {
                    options.set(CURLOPT_OPENSOCKETDATA, pointer: box.toOpaque())
                    options.set(opener: { CurlTransfer.openSocket($0, $2) })
                }
                options.set(
                    CURLOPT_WRITEFUNCTION, receiver: { CurlTransfer.receive($0, $1, $2, $3) { $0.receiveBody($1) } })
                options.set(
                    CURLOPT_HEADERFUNCTION, receiver: { CurlTransfer.receive($0, $1, $2, $3) { $0.receiveHeader($1) } })
                return options.fault ?? curl_easy_perform(handle.pointer)
            }
        }
        guard code == CURLE_OK else {
            if hasRefusedAddress, latchkey_curl_request_size(handle.pointer) == 0 { throw .addressRefused }
            // If the server was not reached, it did not process the request.
            if code == CURLE_OPERATION_TIMEDOUT, latchkey_curl_request_size(handle.pointer) == 0 {
                throw .cannotConnect
            }
            throw error(code, String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        if request.version == .http2, latchkey_curl_http_version(handle.pointer) != CURL_HTTP_VERSION_2_0 {
            throw .noHTTP2
        }
        let status = latchkey_curl_status(handle.pointer)
        // The library also reads others, such as 11 (RFC 9110 §15).
        guard (100...999).contains(status) else {
            throw .other(code: Int(CURLE_WEIRD_SERVER_REPLY.rawValue), "the status \(status) has not three digits")
        }
        return HTTPClientResponse(status: status, headers: headers, body: body)
    }

    // MARK: Options

    private func apply(_ request: HTTPClientRequest, _ body: UnsafeRawBufferPointer, to options: inout CurlOptions) {
        options.set(CURLOPT_URL, text: request.url)
        options.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        options.set(CURLOPT_PROTOCOLS_STR, text: "http,https")
        options.set(CURLOPT_FOLLOWLOCATION, 0)
        if request.usesFreshConnection {
            options.set(CURLOPT_FRESH_CONNECT, 1)
            // Kept connections of such requests would never be used again, and each handle keeps five.
            options.set(CURLOPT_FORBID_REUSE, 1)
        }
        switch request.version {
        case .negotiated: break
        // Offers HTTP/2 over TLS as the default does, and uses it also without negotiation.
        case .http2: options.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
        }
        if request.body != nil {
            options.set(CURLOPT_POSTFIELDSIZE_LARGE, size: body.count)
            if let bytes = body.baseAddress, !body.isEmpty {
                options.set(CURLOPT_POSTFIELDS, pointer: UnsafeMutableRawPointer(mutating: bytes))
            } else {
                options.set(CURLOPT_COPYPOSTFIELDS, text: "")
            }
        }
        switch request.method {
        case .head: options.set(CURLOPT_NOBODY, 1)
        case .get, .post, .put, .patch, .delete: options.set(CURLOPT_CUSTOMREQUEST, text: request.method.rawValue)
        }
    }

    private func apply(_ limits: HTTPClient.Limits, _ trust: TLSFiles, to options: inout CurlOptions) {
        options.set(CURLOPT_CONNECTTIMEOUT_MS, limits.connectTime.milliseconds)
        options.set(CURLOPT_TIMEOUT_MS, limits.totalTime.milliseconds)
        // Timeouts by signal would interrupt other threads.
        options.set(CURLOPT_NOSIGNAL, 1)
        // The empty name disables `http_proxy` and similar variables.
        options.set(CURLOPT_PROXY, text: "")
        if let caFilePath = trust.caFilePath { options.set(CURLOPT_CAINFO, text: caFilePath) }
        if let certificate = trust.certificate {
            options.set(CURLOPT_SSLCERT, text: certificate)
            options.set(CURLOPT_SSLKEY, text: certificate)
        }
    }

    // MARK: Connection

    /// Opens the socket of a connection, if the policy allows its address. The address is the one that is used, so that
    /// DNS rebinding has no effect.
    private static func openSocket(
        _ box: UnsafeMutableRawPointer?, _ address: UnsafeMutablePointer<curl_sockaddr>?
    ) -> curl_socket_t {
        guard let box, let address else { return CURL_SOCKET_BAD }
        let transfer = Unmanaged<CurlTransfer>.fromOpaque(box).takeUnretainedValue()
        var length: UInt32 = 0
        guard let start = latchkey_curl_socket_address(address, &length),
            transfer.addresses.allows(UnsafeRawBufferPointer(start: start, count: Int(length)))
        else {
            transfer.hasRefusedAddress = true
            return CURL_SOCKET_BAD
        }
        return socket(address.pointee.family, address.pointee.socktype | closeOnExec, address.pointee.`protocol`)
    }

    private static let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)

    // MARK: Response

    private static func receive(
        _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ box: UnsafeMutableRawPointer?,
        _ keep: (CurlTransfer, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let bytes, let box else { return 0 }
        let transfer = Unmanaged<CurlTransfer>.fromOpaque(box).takeUnretainedValue()
        let isKept = keep(transfer, UnsafeRawBufferPointer(start: bytes, count: size * count))
        // A return value that differs from the byte count ends the transfer.
        return isKept ? size * count : size * count + 1
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        isTooLarge = bytes.count > limits.bodyBytes - body.count
        if !isTooLarge { body.append(contentsOf: bytes) }
        return !isTooLarge
    }

    /// Processes one line, including its line end.
    private func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        isTooLarge = headerBytes > limits.headerBytes
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            // Another head after an interim one (RFC 9110 §15.2).
            headers = []
        } else if let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) {
            let value = line[line.utf8.index(after: colon)...]
            headers.append((String(line[..<colon]), value.trimmingWhiteSpace))
        }
        return !isTooLarge
    }

    private func error(_ code: CURLcode, _ message: String) -> HTTPClientError {
        switch code {
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED: .invalidRequest
        case CURLE_COULDNT_RESOLVE_HOST: .cannotResolve
        case CURLE_COULDNT_CONNECT: .cannotConnect
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_WRITE_ERROR where isTooLarge: .tooLarge
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
            .tls(message)
        default: .other(code: Int(code.rawValue), message)
        }
    }
}

/// Sets options and records the first error.
private struct CurlOptions {
    private let handle: CurlHandle
    private(set) var fault: CURLcode?

    init(_ handle: CurlHandle) {
        self.handle = handle
    }

    mutating func set(_ option: CURLoption, _ number: Int) {
        note(latchkey_curl_set_number(handle.pointer, option, number))
    }

    mutating func set(_ option: CURLoption, size: Int) {
        note(latchkey_curl_set_size(handle.pointer, option, curl_off_t(size)))
    }

    /// The library copies the text.
    mutating func set(_ option: CURLoption, text: String) {
        note(latchkey_curl_set_text(handle.pointer, option, text))
    }

    mutating func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
        note(latchkey_curl_set_pointer(handle.pointer, option, pointer))
    }

    mutating func set(_ option: CURLoption, receiver: curl_write_callback) {
        note(latchkey_curl_set_receiver(handle.pointer, option, receiver))
    }

    mutating func set(opener: curl_opensocket_callback) {
        note(latchkey_curl_set_opener(handle.pointer, opener))
    }

    private mutating func note(_ code: CURLcode) {
        if code != CURLE_OK, fault == nil { fault = code }
    }
}

/// The header fields of a request in the structure of the library.
private struct HeaderList: ~Copyable {
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    /// - Throws: `invalidRequest` for a name or value with characters that would end the field.
    init(_ request: HTTPClientRequest) throws(HTTPClientError) {
        for (name, value) in request.headers {
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") }),
                value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7f) || $0 == UInt8(ascii: "\t") })
            else { throw .invalidRequest }
        }
        list = nil
        // Otherwise the library waits a second for permission to send a larger body.
        append("Expect:")
        // Otherwise the library declares every body as a form.
        if !request.headers.contains(where: { $0.name.equalsIgnoringASCIICase("content-type") }) {
            append("Content-Type:")
        }
        for (name, value) in request.headers {
            // For the library, "Name:" alone removes the field.
            append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
    }

    deinit {
        curl_slist_free_all(list)
    }

    private mutating func append(_ line: String) {
        guard let longer = curl_slist_append(list, line) else { fatalError("out of memory") }
        list = longer
    }
}

extension Duration {
    /// Whole milliseconds, at least one: zero means "no limit" to the library.
    fileprivate var milliseconds: Int {
        Int(clamping: max(1, saturatedMilliseconds))
    }
}

extension Substring {
    fileprivate var trimmingWhiteSpace: String {
        let isWhite: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r\n" || $0 == "\r" || $0 == "\n" }
        guard let first = firstIndex(where: { !isWhite($0) }), let last = lastIndex(where: { !isWhite($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
