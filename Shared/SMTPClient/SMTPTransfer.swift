internal import CCurl
import Curl
import Vocabulary

/// The transfer of one message. Used by one thread.
final class SMTPTransfer {
    private let stop: SMTPAbortFlag
    private let deadline: ContinuousClock.Instant
    private var isLate = false
    /// Whether the server must offer SMTPUTF8.
    private let needsInternationalAddresses: Bool
    private var stage = SMTPStage.connect
    private var offersInternationalAddresses = false
    private var isRefusedForAddress = false

    private init(needsInternationalAddresses: Bool, within time: Duration, until stop: SMTPAbortFlag) {
        self.needsInternationalAddresses = needsInternationalAddresses
        deadline = .now + time
        self.stop = stop
    }

    /// Blocks until the server has accepted or rejected the message, or the transfer failed.
    static func send(
        _ message: SMTPMessage, to server: SMTPServer, _ limits: SMTPClient.Limits, caFilePath: String?,
        on handle: CurlHandle, until stop: SMTPAbortFlag
    ) throws(SMTPError) {
        let from = try EncodedEmailAddress(message.from.address)
        let recipient = try EncodedEmailAddress(message.recipient)
        let replyTo: EncodedEmailAddress? =
            if let address = message.replyTo { try EncodedEmailAddress(address) } else { nil }
        let returnPath = try EncodedEmailAddress(message.returnPath)
        let needsInternationalAddresses =
            from.isInternational || recipient.isInternational || returnPath.isInternational
            || replyTo?.isInternational == true
        // A server announces its extensions only at the beginning of a connection.
        var isFresh = needsInternationalAddresses
        while true {
            guard !stop.isRequested else { throw .aborted }
            let transfer = SMTPTransfer(
                needsInternationalAddresses: needsInternationalAddresses, within: limits.totalTime, until: stop)
            let headers = message.headers(from: from, recipient: recipient, replyTo: replyTo)
            let mail = try CurlMail(message, headers, to: recipient, on: handle)
            let code = transfer.perform(
                mail, returnPath: returnPath, to: server, limits, caFilePath: caFilePath, isFresh: isFresh,
                on: handle)
            guard code != CURLE_OK else { return }
            let failure = transfer.failure(code, status: Int(latchkey_curl_status(handle.pointer)))
            // The server may have closed a kept connection in the meantime. Then nothing was sent, and the transfer is
            // repeated.
            guard !isFresh, latchkey_curl_new_connections(handle.pointer) == 0,
                case .connectionLost(let stage) = failure, stage < .content
            else { throw failure }
            isFresh = true
        }
    }

    /// Blocks until the server has accepted the user and replied to NOOP, or the connection failed.
    static func check(
        _ server: SMTPServer, _ limits: SMTPClient.Limits, caFilePath: String?, on handle: CurlHandle,
        until stop: SMTPAbortFlag
    ) throws(SMTPError) {
        guard !stop.isRequested else { throw .aborted }
        let transfer = SMTPTransfer(needsInternationalAddresses: false, within: limits.totalTime, until: stop)
        let code = transfer.perform(server, limits, caFilePath: caFilePath, isFresh: true, on: handle) { options in
            options.set(CURLOPT_CUSTOMREQUEST, text: "NOOP")
            options.set(CURLOPT_NOBODY, 1)
        }
        guard code == CURLE_OK else {
            throw transfer.failure(code, status: Int(latchkey_curl_status(handle.pointer)))
        }
    }

    private func perform(
        _ mail: borrowing CurlMail, returnPath: EncodedEmailAddress, to server: SMTPServer, _ limits: SMTPClient.Limits,
        caFilePath: String?, isFresh: Bool, on handle: CurlHandle
    ) -> CURLcode {
        let (recipients, headers, body) = (mail.recipients, mail.headers, mail.body)
        return perform(server, limits, caFilePath: caFilePath, isFresh: isFresh, on: handle) { options in
            options.set(CURLOPT_MAIL_FROM, text: returnPath.text)
            options.set(CURLOPT_MAIL_RCPT, pointer: recipients)
            options.set(CURLOPT_HTTPHEADER, pointer: headers)
            options.set(CURLOPT_MIMEPOST, pointer: body)
        }
    }

    /// - Parameter setCommands: sets the options of what is sent after the authentication.
    private func perform(
        _ server: SMTPServer, _ limits: SMTPClient.Limits, caFilePath: String?, isFresh: Bool, on handle: CurlHandle,
        setCommands: (inout CurlOptions) -> Void
    ) -> CURLcode {
        let box = Unmanaged.passRetained(self)
        // The library calls back only inside of `curl_easy_perform`.
        defer { box.release() }
        var options = CurlOptions(handle)
        options.set(CURLOPT_URL, text: server.url)
        options.set(CURLOPT_PROTOCOLS_STR, text: "smtp,smtps")
        options.set(CURLOPT_PROXY, text: "")
        if let user = server.user, let password = server.password {
            options.set(CURLOPT_USERNAME, text: user)
            options.set(CURLOPT_PASSWORD, text: password.reveal())
        }
        switch server.security {
        case .implicitTLS: break
        case .startTLS: options.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
        case .none: options.set(CURLOPT_USE_SSL, Int(CURLUSESSL_NONE.rawValue))
        }
        options.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let caFilePath { options.set(CURLOPT_CAINFO, text: caFilePath) }
        options.set(CURLOPT_CONNECTTIMEOUT_MS, limits.connectTime.milliseconds)
        options.set(CURLOPT_TIMEOUT_MS, limits.totalTime.milliseconds)
        options.set(CURLOPT_MAXAGE_CONN, 30)
        options.set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        // Timeouts by signal would interrupt other threads.
        options.set(CURLOPT_NOSIGNAL, 1)
        setCommands(&options)
        options.set(CURLOPT_HEADERDATA, pointer: box.toOpaque())
        options.set(CURLOPT_HEADERFUNCTION, receiver: { SMTPTransfer.receive($0, $1 * $2, $3) })
        options.set(CURLOPT_DEBUGDATA, pointer: box.toOpaque())
        options.set(CURLOPT_VERBOSE, 1)
        options.note(latchkey_curl_set_debug(handle.pointer) { SMTPTransfer.notice($1, $2, $3, $4) })
        options.set(CURLOPT_XFERINFODATA, pointer: box.toOpaque())
        options.set(CURLOPT_NOPROGRESS, 0)
        options.note(
            latchkey_curl_set_progress(handle.pointer) { box, _, _, _, _ in SMTPTransfer.of(box).mustAbort ? 1 : 0 })
        return options.fault ?? curl_easy_perform(handle.pointer)
    }

    // MARK: Callbacks of the library

    /// Never nil: it is the pointer that `perform` passed.
    private static func of(_ box: UnsafeMutableRawPointer?) -> SMTPTransfer {
        Unmanaged<SMTPTransfer>.fromOpaque(box!).takeUnretainedValue()
    }

    /// Checked at least about once a second. The library's own timeouts do not apply to the QUIT that it sends to a
    /// server that has not replied.
    private var mustAbort: Bool {
        isLate = isLate || .now >= deadline
        return isLate || stop.isRequested
    }

    /// One line from the server.
    private static func receive(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ box: UnsafeMutableRawPointer?
    ) -> Int {
        guard let bytes else { return 0 }
        let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
        // A return value that differs from the byte count ends the transfer.
        return of(box).receive(line.asciiUppercased) ? count : count + 1
    }

    private func receive(_ line: String) -> Bool {
        guard stage == .greeting else { return true }
        if line.dropFirst(4).hasPrefix("SMTPUTF8") { offersInternationalAddresses = true }
        // After the last line the library would continue, with or without the extension.
        let isLast = line.hasPrefix("250 ")
        isRefusedForAddress = isLast && needsInternationalAddresses && !offersInternationalAddresses
        return !isRefusedForAddress
    }

    /// Records the progress of the transfer. All other data is ignored: it contains passwords and the message.
    private static func notice(
        _ kind: curl_infotype, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ box: UnsafeMutableRawPointer?
    ) -> Int32 {
        guard kind == CURLINFO_HEADER_OUT, let bytes else { return 0 }
        let verb = String(decoding: UnsafeRawBufferPointer(start: bytes, count: min(count, 8)), as: UTF8.self)
        let stages: [(String, SMTPStage)] = [
            ("EHLO", .greeting), ("HELO", .greeting), ("STARTTLS", .startTLS), ("AUTH", .authentication),
            ("MAIL", .sender), ("RCPT", .recipient), ("DATA", .content),
        ]
        if let stage = stages.first(where: { verb.hasPrefix($0.0) })?.1 { of(box).stage = stage }
        return 0
    }

    private func failure(_ code: CURLcode, status: Int) -> SMTPError {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: .cannotResolve
        case CURLE_COULDNT_CONNECT: .cannotConnect
        case CURLE_OPERATION_TIMEDOUT: .timedOut(stage)
        case CURLE_ABORTED_BY_CALLBACK: stop.isRequested ? .aborted : .timedOut(stage)
        case CURLE_WRITE_ERROR where isRefusedForAddress: .noInternationalAddresses
        case CURLE_USE_SSL_FAILED: .noTLS
        case CURLE_LOGIN_DENIED: .authentication
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
            .tls(String(cString: curl_easy_strerror(code)))
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY, CURLE_REMOTE_ACCESS_DENIED,
            CURLE_GOT_NOTHING, CURLE_UPLOAD_FAILED, CURLE_PARTIAL_FILE:
            status >= 400 ? .refused(stage, code: status) : .connectionLost(stage)
        default: status >= 400 ? .refused(stage, code: status) : .other(code: Int(code.rawValue))
        }
    }
}

/// Headers, recipient and body in the structures of the library.
private struct CurlMail: ~Copyable {
    private(set) var headers: UnsafeMutablePointer<curl_slist>?
    private(set) var recipients: UnsafeMutablePointer<curl_slist>?
    let body: OpaquePointer

    init(
        _ message: SMTPMessage, _ fields: [EmailHeader], to recipient: EncodedEmailAddress, on handle: CurlHandle
    ) throws(SMTPError) {
        guard let body = curl_mime_init(handle.pointer) else { fatalError("out of memory") }
        self.body = body
        headers = nil
        recipients = nil
        for field in fields { Self.append(field.line, to: &headers) }
        // The library adds the boundary.
        Self.append("Content-Type: multipart/alternative", to: &headers)
        Self.append(recipient.text, to: &recipients)
        // A mail client shows the last alternative that it supports (RFC 2046 §5.1.4).
        guard Self.add(message.text, "text/plain; charset=utf-8", to: body) == CURLE_OK,
            Self.add(message.html, "text/html; charset=utf-8", to: body) == CURLE_OK
        else { fatalError("out of memory") }
    }

    deinit {
        curl_mime_free(body)
        curl_slist_free_all(headers)
        curl_slist_free_all(recipients)
    }

    private static func add(_ text: String, _ type: String, to mime: OpaquePointer) -> CURLcode {
        let bytes = Array(text.withEmailLineEnds.utf8)
        guard let part = curl_mime_addpart(mime) else { return CURLE_OUT_OF_MEMORY }
        let codes = [
            bytes.withUnsafeBytes { curl_mime_data(part, $0.baseAddress, $0.count) },
            curl_mime_type(part, type), curl_mime_encoder(part, "quoted-printable"),
        ]
        return codes.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    private static func append(_ line: String, to list: inout UnsafeMutablePointer<curl_slist>?) {
        guard let longer = curl_slist_append(list, line) else { fatalError("out of memory") }
        list = longer
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

    /// The library copies the text.
    mutating func set(_ option: CURLoption, text: String) {
        note(latchkey_curl_set_text(handle.pointer, option, text))
    }

    mutating func set(_ option: CURLoption, pointer: UnsafeMutablePointer<curl_slist>?) {
        note(latchkey_curl_set_pointer(handle.pointer, option, pointer))
    }

    mutating func set(_ option: CURLoption, pointer: OpaquePointer) {
        note(latchkey_curl_set_pointer(handle.pointer, option, UnsafeMutableRawPointer(pointer)))
    }

    mutating func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer) {
        note(latchkey_curl_set_pointer(handle.pointer, option, pointer))
    }

    mutating func set(_ option: CURLoption, receiver: curl_write_callback) {
        note(latchkey_curl_set_receiver(handle.pointer, option, receiver))
    }

    mutating func note(_ code: CURLcode) {
        if code != CURLE_OK, fault == nil { fault = code }
    }
}

extension String {
    /// The text with every line end as CR LF (RFC 5322 §2.3).
    fileprivate var withEmailLineEnds: String {
        var result = ""
        for character in self { result.append(character.isNewline ? "\r\n" : character) }
        return result
    }
}

extension Duration {
    /// Whole milliseconds, at least one: zero means "no limit" to the library.
    fileprivate var milliseconds: Int {
        Int(clamping: max(1, saturatedMilliseconds))
    }
}
